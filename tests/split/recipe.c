/* SPDX-License-Identifier: MIT */
/* Recipes of splitcheck: see recipe.h. */
#include "recipe.h"
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t element_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } scalars[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
                   {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}};
    size_t length = strcspn(type, "0123456789");
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        if (strlen(scalars[i].name) == length && strncmp(scalars[i].name, type, length) == 0)
            return scalars[i].size * (type[length] ? strtoul(type + length, NULL, 10) : 1);
    }
    return 0;
}

/* unorm4 is a format, not a type of its own */
static const char *texel_type(const char *word)
{
    return strcmp(word, "unorm4") == 0 ? "uchar4" : word;
}

static bool read_image(struct recipe_arg *arg, char words[5][RECIPE_TEXT], int n)
{
    static const struct {
        const char *name;
        enum recipe_image_kind kind;
        int sizes;
    } kinds[] = {{"image1d", RECIPE_IMAGE1D, 1},
                 {"image1d_buffer", RECIPE_IMAGE1D_BUFFER, 1},
                 {"image1d_array", RECIPE_IMAGE1D_ARRAY, 2},
                 {"image2d", RECIPE_IMAGE2D, 2},
                 {"image2d_array", RECIPE_IMAGE2D_ARRAY, 3},
                 {"image3d", RECIPE_IMAGE3D, 3}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(words[0], kinds[i].name) != 0)
            continue;
        arg->kind = RECIPE_IMAGE;
        arg->image = kinds[i].kind;
        arg->element = element_size(texel_type(words[1]));
        snprintf(arg->type, sizeof(arg->type), "%.15s", words[1]);
        for (int k = 0; k < 3; k++)
            snprintf(arg->ints[k], sizeof(arg->ints[k]), "%s", words[k + 2]);
        return n == 2 + kinds[i].sizes && arg->element > 0;
    }
    return false;
}

static enum recipe_fill fill_named(const char *word)
{
    return strcmp(word, "below") == 0    ? RECIPE_BELOW
           : strcmp(word, "order") == 0  ? RECIPE_ORDER
           : strcmp(word, "rising") == 0 ? RECIPE_RISING
           : strcmp(word, "zero") == 0   ? RECIPE_ZERO
                                         : RECIPE_NOISE;
}

static bool read_arg(struct recipe_arg *arg, unsigned index, const char *value)
{
    char words[5][RECIPE_TEXT] = {{0}};
    int n = sscanf(value, "%79s %79s %79s %79s %79s", words[0], words[1], words[2], words[3], words[4]);
    const char *type = words[0];
    arg->kind = RECIPE_SCALAR;
    snprintf(arg->size, sizeof(arg->size), "%s", words[1]);
    if (strcmp(words[0], "null") == 0) {
        arg->kind = RECIPE_NULL;
        return n == 1;
    }
    if (strcmp(words[0], "same") == 0 || strcmp(words[0], "window") == 0) {
        arg->kind = words[0][0] == 's' ? RECIPE_SAME : RECIPE_WINDOW;
        arg->of = (unsigned)strtoul(words[1], NULL, 10);
        snprintf(arg->from, sizeof(arg->from), "%s", words[2]);
        snprintf(arg->size, sizeof(arg->size), "%s", words[3]);
        return arg->of < index && n == (arg->kind == RECIPE_SAME ? 2 : 4);
    }
    if (strncmp(words[0], "image", 5) == 0)
        return read_image(arg, words, n);
    if (strcmp(words[0], "ints") == 0) {
        arg->kind = RECIPE_VECTOR;
        for (int i = 0; i < RECIPE_INTS; i++)
            snprintf(arg->ints[i], sizeof(arg->ints[i]), "%s", words[i + 1]);
        return n > 1;
    }
    if (strcmp(words[0], "buffer") == 0 || strcmp(words[0], "local") == 0) {
        arg->kind = words[0][0] == 'b' ? RECIPE_BUFFER : RECIPE_LOCAL;
        type = words[1];
        snprintf(arg->size, sizeof(arg->size), "%s", words[2]);
        snprintf(arg->below, sizeof(arg->below), "%s", words[4]);
        arg->fill = fill_named(words[3]);
        if (words[3][0] && arg->fill == RECIPE_NOISE)
            return false;
    }
    snprintf(arg->type, sizeof(arg->type), "%.15s", type);
    arg->element = element_size(arg->type);
    return arg->element > 0 && arg->size[0];
}

static bool read_compare(struct recipe *recipe, const char *value)
{
    char how[8];
    unsigned arg;
    if (sscanf(value, "%7s %u", how, &arg) != 2 || arg >= RECIPE_ARGS)
        return false;
    recipe->arg[arg].compare = strcmp(how, "sorted") == 0 ? RECIPE_SORTED : RECIPE_IGNORED;
    return strcmp(how, "sorted") == 0 || strcmp(how, "no") == 0;
}

static bool read_sizes(size_t sizes[3], const char *value)
{
    int n = sscanf(value, "%zu,%zu,%zu", &sizes[0], &sizes[1], &sizes[2]);
    for (int d = n > 0 ? n : 0; d < 3; d++)
        sizes[d] = 1;
    return n >= 1;
}

static bool read_flag(struct recipe *recipe, const char *key, const char *value)
{
    bool yes = strcmp(value, "yes") == 0;
    if (!yes && strcmp(value, "no") != 0)
        return false;
    if (strcmp(key, "offset") == 0)
        recipe->offset = yes;
    else if (strcmp(key, "uneven") == 0)
        recipe->uneven = yes;
    else if (strcmp(key, "alone") == 0)
        recipe->alone = yes;
    else
        recipe->run = yes;
    return true;
}

static bool is_one_of(const char *key, const char *const *names)
{
    while (*names && strcmp(*names, key) != 0)
        names++;
    return *names != NULL;
}

static bool read_line(struct recipe *recipe, const char *key, const char *value)
{
    static const char *const flags[] = {"offset", "uneven", "alone", "run", NULL};
    static const char *const others[] = {"expect", "llvm", "way",  "before", "reads", "writes",  "on",
                                         "part",   "cut",  "note", "reason", "order", "checked", NULL};
    if (strcmp(key, "kernel") == 0)
        snprintf(recipe->name, sizeof(recipe->name), "%.63s", value);
    else if (strcmp(key, "options") == 0)
        snprintf(recipe->options, sizeof(recipe->options), "%.79s", value);
    else if (strcmp(key, "dims") == 0)
        recipe->dims = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(key, "local") == 0)
        return read_sizes(recipe->local, value);
    else if (strcmp(key, "size") == 0)
        return read_sizes(recipe->size, value);
    else if (strcmp(key, "compare") == 0)
        return read_compare(recipe, value);
    else if (is_one_of(key, flags))
        return read_flag(recipe, key, value);
    else if (strcmp(key, "arg") == 0)
        return recipe->nargs < RECIPE_ARGS && read_arg(&recipe->arg[recipe->nargs], recipe->nargs, value) &&
               ++recipe->nargs;
    else
        return is_one_of(key, others);
    return true;
}

bool recipe_read(struct recipe *recipe, const char *path, const char *text)
{
    char key[16], value[128];
    memset(recipe, 0, sizeof(*recipe));
    recipe->dims = 1;
    recipe->offset = recipe->run = true;
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (sscanf(line, "// %15[a-z]: %127[^\n]", key, value) != 2)
            continue;
        if (!read_line(recipe, key, value)) {
            fprintf(stderr, "%s: cannot read '%s: %s'\n", path, key, value);
            return false;
        }
    }
    if (!recipe->name[0] || recipe->dims < 1 || recipe->dims > 3 || (recipe->run && recipe->nargs == 0)) {
        fprintf(stderr, "%s: the recipe lacks something\n", path);
        return false;
    }
    if (recipe->size[0])
        recipe->offset = false;
    return true;
}

static size_t symbol(char name, const struct recipe_range *r)
{
    static const char ends[] = "XYZ", sizes[] = "WHD", locals[] = "ABC";
    size_t items = 1, groups = 1, group = 1;
    for (int d = 0; d < 3; d++) {
        if (name == ends[d])
            return r->offset[d] + r->global[d];
        if (name == sizes[d])
            return r->global[d];
        if (name == locals[d])
            return r->local[d];
        items *= r->global[d];
        groups *= (r->global[d] + r->local[d] - 1) / r->local[d];
        group *= r->local[d];
    }
    return name == 'I' ? items : name == 'G' ? groups : group;
}

static long long number(const char **at, const struct recipe_range *range)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return (long long)symbol(**at, range);
    long long value = (long long)strtoull(*at, &end, 10);
    *at = end - 1;
    return value;
}

size_t recipe_value(const char *expression, const struct recipe_range *range)
{
    long long sum = 0, product = 1;
    int sign = 1;
    bool divide = false;
    for (const char *at = expression;; at++) {
        if (isalnum((unsigned char)*at)) {
            long long value = number(&at, range);
            product = divide ? product / (value ? value : 1) : product * value;
        } else if (*at != '*' && *at != '/') { /* + - or the end */
            sum += sign * product;
            product = 1;
            sign = *at == '-' ? -1 : 1;
            if (!*at)
                break;
        }
        divide = *at == '/';
    }
    return sum > 0 ? (size_t)sum : 0;
}

size_t recipe_scalar(const struct recipe_arg *arg, const struct recipe_range *range, unsigned char bytes[16])
{
    uint64_t whole = recipe_value(arg->size, range);
    float single = strtof(arg->size, NULL);
    double wide = strtod(arg->size, NULL);
    size_t n = 0;
    for (; arg->kind == RECIPE_VECTOR && n < RECIPE_INTS && arg->ints[n][0]; n++) {
        int32_t value = (int32_t)recipe_value(arg->ints[n], range);
        memcpy(bytes + 4 * n, &value, 4);
    }
    if (arg->kind == RECIPE_VECTOR)
        return 4 * n;
    if (strcmp(arg->type, "float") == 0)
        memcpy(bytes, &single, sizeof(single));
    else if (strcmp(arg->type, "double") == 0)
        memcpy(bytes, &wide, sizeof(wide));
    else
        memcpy(bytes, &whole, arg->element);
    return arg->element;
}

struct recipe_image recipe_image(const struct recipe_arg *arg, const struct recipe_range *range)
{
    static const struct {
        const char *type;
        unsigned channel;
    } channels[] = {{"unorm", CL_UNORM_INT8},      {"uchar", CL_UNSIGNED_INT8}, {"char", CL_SIGNED_INT8},
                    {"ushort", CL_UNSIGNED_INT16}, {"short", CL_SIGNED_INT16},  {"uint", CL_UNSIGNED_INT32},
                    {"int", CL_SIGNED_INT32},      {"float", CL_FLOAT}};
    size_t size[3] = {1, 1, 1}, length = strcspn(arg->type, "0123456789");
    struct recipe_image i = {.order = arg->type[length] ? CL_RGBA : CL_R};
    for (int k = 0; k < 3 && arg->ints[k][0]; k++)
        size[k] = recipe_value(arg->ints[k], range);
    for (size_t k = 0; k < sizeof(channels) / sizeof(channels[0]); k++) {
        if (strlen(channels[k].type) == length && strncmp(channels[k].type, arg->type, length) == 0)
            i.type = channels[k].channel;
    }
    bool line_array = arg->image == RECIPE_IMAGE1D_ARRAY, array = arg->image == RECIPE_IMAGE2D_ARRAY;
    i.width = size[0];
    i.height = line_array ? 1 : size[1];
    i.depth = array ? 1 : size[2];
    i.layers = line_array ? size[1] : array ? size[2] : 1;
    return i;
}
