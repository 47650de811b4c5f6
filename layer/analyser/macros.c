/* SPDX-License-Identifier: MIT */
/*
 * Which macros a text depends on, by reading its directives. See macros.h.
 *
 * Known to be the same on both sides: what the program defines itself, what the caller told of the device or
 * the device itself, the language's extensions (defined if and only if the device lists them), and what the
 * specification fixes.
 * Conditions that choose between nothing but pragmas and errors do not matter.
 */
#include "layer/analyser/macros.h"
#include "layer/analyser/map.h"
#include "layer/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 256 };

/* An #if that is open. */
struct group {
    char *doubt; /* the first doubtful macro that its conditions ask for */
    unsigned line;
    bool inert; /* so far it holds nothing that matters */
};

struct scan {
    const struct cx_compile_request *request;
    bool rewritten;            /* by clang, which moves conditions away from what they choose */
    bool has_standard;         /* the options name the OpenCL C version */
    struct cx_strings given;   /* by the build options */
    struct cx_strings defined; /* anywhere in the text */
    struct cx_strings settled; /* outside all conditions, up to here */
    struct cx_strings told;    /* by the device */
    struct group group[MAX_DEPTH];
    unsigned depth, line;
    struct cx_macros *found;
};

static bool starts(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool holds(const struct cx_strings *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strcspn(list->item[i], "=");
        if (strlen(word) == length && memcmp(list->item[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0) {
        list++;
    }
    return *list;
}

static bool has_prefix(const char *word, const char *const *list)
{
    while (*list && !starts(word, *list)) {
        list++;
    }
    return *list;
}

/* ---- what is known of a name ---- */

/* Extensions that belong to the language: compilers define the names if and only if the device lists them.
 * That is not so of those for the host (NVIDIA's defines few of them), nor of those in clang's own header,
 * which defines them for every device. */
static bool is_language_extension(const char *word)
{
    static const char *const names[] = {"cl_khr_fp64",
                                        "cl_khr_fp16",
                                        "cl_khr_global_int32_base_atomics",
                                        "cl_khr_global_int32_extended_atomics",
                                        "cl_khr_local_int32_base_atomics",
                                        "cl_khr_local_int32_extended_atomics",
                                        "cl_khr_int64_base_atomics",
                                        "cl_khr_int64_extended_atomics",
                                        "cl_khr_byte_addressable_store",
                                        "cl_khr_3d_image_writes",
                                        NULL};
    return is_one_of(word, names);
}

/* What the caller says of the device. Not the version: NVIDIA's compiler defines the language's in its place.
 */
static bool is_given(const struct scan *scan, const char *word)
{
    return holds(&scan->request->defines, word) && strcmp(word, "__OPENCL_VERSION__") != 0;
}

/* Names that clang and the devices' compilers agree on. */
static bool is_agreed(const struct scan *scan, const char *word)
{
    static const char *const always[] = {"__FAST_RELAXED_MATH__",
                                         "__LINE__",
                                         "__FILE__",
                                         "__func__",
                                         "__VA_ARGS__",
                                         "CL_VERSION_1_0",
                                         "CL_VERSION_1_1",
                                         "CL_VERSION_1_2",
                                         "__kernel_exec",
                                         "kernel_exec",
                                         NULL};
    if (strcmp(word, "__OPENCL_C_VERSION__") == 0 && scan->has_standard) {
        return true;
    }
    return is_one_of(word, always) || is_language_extension(word) || is_given(scan, word) ||
           holds(&scan->given, word) || holds(&scan->settled, word) || holds(&scan->told, word);
}

/* Reserved names that programs do not take for themselves. */
static bool is_compilers_own(const char *word)
{
    static const char *const own[] = {"__OPENCL", "__opencl_", "__clang", "__GNUC",  "__STDC", "__SPIR",
                                      "__NV",     "__CUDA",    "__AMD",   "__INTEL", "__CL_",  "__GPU",
                                      "__CPU",    "__ENDIAN",  "__IMAGE", "__has_",  "_CL_",   NULL};
    return has_prefix(word, own);
}

static bool is_vendors(const char *word)
{
    static const char *const vendors[] = {"CL_",  "FP_FAST_", "POCL_",   "NV_", "NVIDIA",
                                          "AMD_", "INTEL_",   "ATOMIC_", NULL};
    return has_prefix(word, vendors);
}

/* Whether a condition on the name may turn out differently elsewhere. Names in lower case alone may be
 * built-in functions, which some compilers make macros. */
static bool is_doubtful_test(const struct scan *scan, const char *word)
{
    if (strcmp(word, "defined") == 0 || is_agreed(scan, word)) {
        return false;
    }
    if (word[0] == '_') {
        return is_compilers_own(word) || !holds(&scan->defined, word);
    }
    return is_vendors(word) || !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* Whether the name in the code itself may be a macro with another value elsewhere. */
static bool is_doubtful_use(const struct scan *scan, const char *word)
{
    static const char *const words[] = {"__attribute__",
                                        "__asm__",
                                        "__inline__",
                                        "__volatile__",
                                        "__restrict__",
                                        "__const__",
                                        "__signed__",
                                        "__typeof__",
                                        "__alignof__",
                                        "__extension__",
                                        "__packed__",
                                        "__aligned__",
                                        "__unused__",
                                        "__noinline__",
                                        "__always_inline__",
                                        "__FUNCTION__",
                                        "__pure__",
                                        "__overloadable__",
                                        "__reqd_work_group_size__",
                                        "__work_group_size_hint__",
                                        "__vec_type_hint__",
                                        NULL};
    size_t length = strlen(word);

    if (is_compilers_own(word)) {
        return !is_agreed(scan, word);
    }
    if (length < 5 || !starts(word, "__") || strcmp(word + length - 2, "__") != 0) {
        return starts(word, "CL_VERSION_") && !is_agreed(scan, word);
    }
    return !is_one_of(word, words) && !is_agreed(scan, word) && !holds(&scan->defined, word);
}

/* Whether a device's answer would be worth something: not for names whose meaning changes from place to
 * place, operators, what is no name at all, and the functions that split variants define (prelude.h). */
static bool is_askable(const char *word)
{
    static const char *const never[] = {"defined",
                                        "__COUNTER__",
                                        "__DATE__",
                                        "__TIME__",
                                        "__TIMESTAMP__",
                                        "__INCLUDE_LEVEL__",
                                        "__BASE_FILE__",
                                        "__FILE_NAME__",
                                        "__LINE__",
                                        "__FILE__",
                                        "__VA_ARGS__",
                                        "__VA_OPT__",
                                        "_Pragma",
                                        "__pragma",
                                        "get_global_id",
                                        "get_work_dim",
                                        "get_global_offset",
                                        "get_global_size",
                                        "get_group_id",
                                        "get_num_groups",
                                        "get_global_linear_id",
                                        NULL};
    return (isalpha((unsigned char)word[0]) || word[0] == '_') && !starts(word, "__has_") &&
           !starts(word, "COEXEC_") && !starts(word, "coexec_") && !is_one_of(word, never);
}

static void ask(struct scan *scan, const char *word)
{
    if (is_askable(word)) {
        cx_strings_add(&scan->found->names, word, strlen(word));
    }
}

/* The first doubt is told, or the first that no device can remove. */
static void answer(struct scan *scan, const char *word, unsigned line)
{
    struct cx_macros *found = scan->found;
    size_t size = strlen(word) + 96;

    ask(scan, word);
    if (!found->doubt || (found->askable && !is_askable(word))) {
        free(found->doubt);
        found->askable = is_askable(word);
        found->doubt = cx_alloc(size, 1);
        int used = snprintf(found->doubt, size, "%s may be another macro to a device's compiler", word);
        if (!scan->rewritten) {
            snprintf(found->doubt + used, size - (size_t)used, " (line %u)", line);
        }
    }
}

/* ---- words and lines ---- */

/* The next identifier at or after *at as a string to free(), and *at behind it; NULL at the end. */
static char *next_word(const char **at)
{
    const char *c = *at;

    while (*c && !isalpha((unsigned char)*c) && *c != '_') {
        if (isdigit((unsigned char)*c)) { /* a number's suffix is no name */
            c += strspn(c, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.");
        } else {
            c++;
        }
    }
    size_t length = 0;
    while (isalnum((unsigned char)c[length]) || c[length] == '_') {
        length++;
    }
    *at = c + length;
    return length ? strndup(c, length) : NULL;
}

static void check_uses(struct scan *scan, const char *text)
{
    for (char *word; (word = next_word(&text)); free(word)) {
        if (is_doubtful_use(scan, word)) {
            answer(scan, word, scan->line);
        }
    }
}

static void check_condition(struct scan *scan, const char *text)
{
    struct group *group = &scan->group[scan->depth - 1];

    for (char *word; (word = next_word(&text)); free(word)) {
        if (!holds(&scan->given, word) && !holds(&scan->settled, word)) {
            ask(scan, word); /* the more it tells the better, once it is asked */
        }
        if (!is_doubtful_test(scan, word)) {
            continue;
        }
        if (scan->rewritten) {
            answer(scan, word, scan->line);
        } else if (!group->doubt) {
            group->doubt = strdup(word);
            group->line = scan->line;
        }
    }
}

static void open_group(struct scan *scan)
{
    if (scan->depth == MAX_DEPTH) {
        answer(scan, "#if", scan->line);
        scan->depth--;
    }
    scan->group[scan->depth++] = (struct group){.inert = true};
}

static void close_group(struct scan *scan)
{
    if (scan->depth == 0) {
        return;
    }
    struct group *group = &scan->group[--scan->depth];
    if (group->doubt && !group->inert) {
        answer(scan, group->doubt, group->line);
    }
    free(group->doubt);
}

static void matters(struct scan *scan)
{
    for (unsigned i = 0; i < scan->depth; i++) {
        scan->group[i].inert = false;
    }
}

/* A directive, behind its #. */
static void take_directive(struct scan *scan, const char *text)
{
    static const char *const idle[] = {"pragma", "error", "warning", "line", "else", NULL};
    char *name = next_word(&text);

    if (!name || is_one_of(name, idle)) {
        free(name);
        return;
    }
    if (strcmp(name, "endif") == 0) {
        close_group(scan);
    } else if (starts(name, "if") || (starts(name, "elif") && scan->depth)) {
        if (name[0] == 'i') {
            open_group(scan);
        }
        check_condition(scan, text);
    } else {
        matters(scan);
        if (strcmp(name, "define") == 0) {
            char *macro = next_word(&text);
            if (macro && scan->depth == 0) {
                cx_strings_add(&scan->settled, macro, strlen(macro));
            }
            free(macro);
        }
        if (strcmp(name, "undef") != 0) {
            check_uses(scan, text);
        }
    }
    free(name);
}

static void take_line(struct scan *scan, const char *line)
{
    line += strspn(line, " \t\r\f\v");
    if (*line == '#') {
        take_directive(scan, line + 1);
    } else if (*line) {
        matters(scan);
        check_uses(scan, line);
    }
}

static void note_define(struct scan *scan, const char *line)
{
    line += strspn(line, " \t\r\f\v");
    if (*line++ == '#') {
        char *name = next_word(&line), *macro = next_word(&line);
        if (name && macro && strcmp(name, "define") == 0) {
            cx_strings_add(&scan->defined, macro, strlen(macro));
        }
        free(name);
        free(macro);
    }
}

static void each_line(struct scan *scan, char *text, void (*take)(struct scan *, const char *))
{
    scan->line = 1;
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        take(scan, line);
        if (end) {
            *end++ = '\n';
        }
        scan->line++;
    }
}

/* ---- the text ---- */

/* Joins continued lines, in place. Line ends that go come back behind the line, so that counting stays right.
 */
static void splice(char *text)
{
    char *to = text;
    unsigned owed = 0;

    for (const char *at = text; *at; at++) {
        size_t blank = *at == '\\' ? strspn(at + 1, " \t\r") : 0;
        if (*at == '\\' && at[1 + blank] == '\n') {
            at += 1 + blank;
            owed++;
            continue;
        }
        *to++ = *at;
        for (; *at == '\n' && owed; owed--) {
            *to++ = '\n';
        }
    }
    *to = '\0';
}

/* The end of the string or character that begins at `at`. */
static const char *quote_end(const char *at)
{
    const char *end = at + 1;

    while (*end && *end != *at && *end != '\n') {
        end += end[0] == '\\' && end[1] && end[1] != '\n' ? 2 : 1;
    }
    return *end == *at ? end + 1 : end;
}

/* Makes each comment and each quotation one blank, in place; counting stays right as above. */
static void blank_out(char *text)
{
    char *to = text;
    unsigned owed = 0;

    for (const char *at = text; *at;) {
        const char *end = at;
        if (at[0] == '/' && at[1] == '/') {
            end = at + strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            end = strstr(at + 2, "*/");
            end = end ? end + 2 : at + strlen(at);
        } else if (*at == '"' || *at == '\'') {
            end = quote_end(at);
        }
        if (end == at) {
            *to++ = *at;
            for (; *at == '\n' && owed; owed--) {
                *to++ = '\n';
            }
            at++;
            continue;
        }
        *to++ = ' ';
        for (; at < end; at++) {
            owed += *at == '\n';
        }
    }
    *to = '\0';
}

/* A -D or -U. Compilers may have their own way with those that name macros of theirs. */
static void take_definition(struct scan *scan, const char *kind, const char *name)
{
    struct cx_strings *kept = &scan->found->options;
    char *word = strndup(name, strcspn(name, "=("));

    if (!is_compilers_own(word)) {
        cx_strings_add(&scan->given, word, strlen(word));
    }
    if (is_compilers_own(word) || is_vendors(word) || word[0] == '_' || starts(word, "cl_")) {
        cx_strings_add(kept, kind, 2);
        cx_strings_add(kept, name, strlen(name));
    }
    if (strchr(name, '=')) {
        check_uses(scan, strchr(name, '=') + 1);
    }
    free(word);
}

/* What the build options define or undefine, and whether they bring in files or a version. */
static bool take_options(struct scan *scan)
{
    static const char *const with_word[] = {"-I", "-include", "-x", NULL};
    const struct cx_strings *options = &scan->request->options;
    bool files = false;

    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->item[i], *name = option + 2;
        scan->has_standard |= starts(option, "-cl-std=");
        files |= starts(option, "-include");
        if (starts(option, "-D") || starts(option, "-U")) {
            if (!*name && i + 1 < options->count) {
                name = options->item[++i];
            }
            take_definition(scan, option, name);
        } else if (is_one_of(option, with_word)) {
            i++;
        } else if (starts(option, "-cl-") || starts(option, "-O") || starts(option, "-g") ||
                   starts(option, "-f") || starts(option, "-m") || starts(option, "-q")) {
            cx_strings_add(&scan->found->options, option, strlen(option));
        }
    }
    return files;
}

/* The names in the file of answers: those that it undefines, for it does so before it defines any. */
static void take_told(struct scan *scan, const char *path)
{
    char *text = path ? cx_source_read(path) : NULL;

    for (const char *at = text; at && (at = strstr(at, "#undef "));) {
        at += strlen("#undef ");
        char *word = next_word(&at);
        if (word) {
            cx_strings_add(&scan->told, word, strlen(word));
        }
        free(word);
    }
    free(text);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(struct cx_strings *names)
{
    size_t count = 0;

    if (names->count) {
        qsort(names->item, names->count, sizeof(*names->item), compare_names);
    }
    for (size_t i = 0; i < names->count; i++) {
        if (count && strcmp(names->item[count - 1], names->item[i]) == 0) {
            free(names->item[i]);
        } else {
            names->item[count++] = names->item[i];
        }
    }
    names->count = count;
}

static void read_directives(struct scan *scan, char *text)
{
    if (strstr(text, "?\?=") || strstr(text, "?\?/") || strstr(text, "%:")) {
        answer(scan, "a disguised #", 0);
    }
    splice(text);
    blank_out(text);
    each_line(scan, text, note_define);
    each_line(scan, text, take_line);
    while (scan->depth) {
        close_group(scan);
    }
    sort_once(&scan->found->names);
}

/* Drivers differ in how they read quotes, so options that would need some are not handed on. */
static bool are_plain(const struct cx_strings *options)
{
    for (size_t i = 0; i < options->count; i++) {
        if (options->item[i][strcspn(options->item[i], " \t\r\n\v\f\"'\\")]) {
            return false;
        }
    }
    return true;
}

void cx_macros_read(const struct cx_compile_request *request, struct cx_macros *macros)
{
    struct scan scan = {.request = request, .found = macros};
    char *text = request->extensions && strcmp(request->source, "-") ? cx_source_read(request->source) : NULL;

    *macros = (struct cx_macros){0};
    if (!text) { /* no device is named, or clang will tell that there is no file */
        return;
    }
    take_told(&scan, request->told);
    if (take_options(&scan) || cx_text_includes(text)) {
        struct cx_buffer whole;
        scan.rewritten = true;
        if (cx_compile_include(request, &whole) == CX_PROCESS_OK && whole.data) {
            free(text);
            text = strndup(whole.data, whole.size);
        }
        free(whole.data);
    }
    read_directives(&scan, text);
    macros->askable = macros->askable && are_plain(&macros->options);
    free(text);
    cx_strings_finish(&scan.given);
    cx_strings_finish(&scan.defined);
    cx_strings_finish(&scan.settled);
    cx_strings_finish(&scan.told);
}

void cx_macros_finish(struct cx_macros *macros)
{
    free(macros->doubt);
    cx_strings_finish(&macros->names);
    cx_strings_finish(&macros->options);
}
