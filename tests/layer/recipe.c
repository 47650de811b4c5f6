/* SPDX-License-Identifier: MIT */
/* Recipes of splitcheck: see recipe.h. */
#include "recipe.h"
#include <ctype.h>
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

static bool read_arg(struct recipe_arg *arg, const char *value)
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
    if (strcmp(words[0], "same") == 0) {
        arg->kind = RECIPE_SAME;
        return n == 2;
    }
    if (strcmp(words[0], "buffer") == 0 || strcmp(words[0], "local") == 0) {
        arg->kind = words[0][0] == 'b' ? RECIPE_BUFFER : RECIPE_LOCAL;
        type = words[1];
        snprintf(arg->size, sizeof(arg->size), "%s", words[2]);
        snprintf(arg->below, sizeof(arg->below), "%s", words[4]);
        arg->fill = strcmp(words[3], "below") == 0   ? RECIPE_BELOW
                    : strcmp(words[3], "order") == 0 ? RECIPE_ORDER
                    : strcmp(words[3], "zero") == 0  ? RECIPE_ZERO
                                                     : RECIPE_NOISE;
    }
    snprintf(arg->type, sizeof(arg->type), "%.15s", type);
    arg->element = element_size(arg->type);
    return arg->element > 0 && arg->size[0];
}

static bool read_line(struct recipe *recipe, const char *key, const char *value)
{
    if (strcmp(key, "kernel") == 0)
        snprintf(recipe->name, sizeof(recipe->name), "%.63s", value);
    else if (strcmp(key, "options") == 0)
        snprintf(recipe->options, sizeof(recipe->options), "%.79s", value);
    else if (strcmp(key, "dims") == 0)
        recipe->dims = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(key, "offset") == 0)
        recipe->offset = strcmp(value, "no") != 0;
    else if (strcmp(key, "uneven") == 0)
        recipe->uneven = strcmp(value, "yes") == 0;
    else if (strcmp(key, "local") == 0)
        return sscanf(value, "%zu,%zu,%zu", &recipe->local[0], &recipe->local[1], &recipe->local[2]) >= 1;
    else if (strcmp(key, "arg") == 0)
        return recipe->nargs < RECIPE_ARGS && read_arg(&recipe->arg[recipe->nargs++], value);
    else
        return strcmp(key, "expect") == 0;
    return true;
}

bool recipe_read(struct recipe *recipe, const char *path, const char *text)
{
    char key[16], value[128];
    memset(recipe, 0, sizeof(*recipe));
    recipe->dims = 1;
    recipe->offset = true;
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (sscanf(line, "// %15[a-z]: %127[^\n]", key, value) != 2)
            continue;
        if (!read_line(recipe, key, value)) {
            fprintf(stderr, "%s: cannot read '%s: %s'\n", path, key, value);
            return false;
        }
    }
    if (!recipe->name[0] || recipe->dims < 1 || recipe->dims > 3 || recipe->nargs == 0) {
        fprintf(stderr, "%s: the recipe lacks something\n", path);
        return false;
    }
    for (unsigned d = 0; recipe->local[0] && d < 3; d++)
        recipe->local[d] = recipe->local[d] ? recipe->local[d] : 1;
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

size_t recipe_value(const char *expression, const struct recipe_range *range)
{
    long long sum = 0, product = 1;
    int sign = 1;
    for (const char *at = expression;; at++) {
        if (isdigit((unsigned char)*at)) {
            char *end;
            product *= (long long)strtoull(at, &end, 10);
            at = end - 1;
        } else if (isupper((unsigned char)*at)) {
            product *= (long long)symbol(*at, range);
        } else if (*at != '*') { /* + - or the end */
            sum += sign * product;
            product = 1;
            sign = *at == '-' ? -1 : 1;
            if (!*at)
                break;
        }
    }
    return sum > 0 ? (size_t)sum : 0;
}
