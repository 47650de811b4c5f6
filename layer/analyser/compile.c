/* SPDX-License-Identifier: MIT */
#include "layer/analyser/compile.h"
#include "layer/analyser/assembly.h"
#include "layer/analyser/map.h"
#include "layer/source/compiler_macros.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What options without -cl-std get: the specification's default, then what has all that 3.0 may have. */
#define OLD_STANDARD "-cl-std=CL1.2"
#define NEW_STANDARD "-cl-std=CL2.0"

void cx_strings_add(struct cx_strings *list, const char *text, size_t length)
{
    list->item = cx_realloc(list->item, list->count + 2, sizeof(*list->item));
    list->item[list->count] = cx_alloc(length + 1, 1);
    memcpy(list->item[list->count], text, length);
    list->item[++list->count] = NULL;
}

static void add(struct cx_strings *list, const char *text)
{
    cx_strings_add(list, text, strlen(text));
}

static void add_pair(struct cx_strings *list, const char *first, const char *second)
{
    char *both = cx_alloc(strlen(first) + strlen(second) + 1, 1);

    memcpy(both, first, strlen(first));
    memcpy(both + strlen(first), second, strlen(second));
    add(list, both);
    free(both);
}

void cx_strings_finish(struct cx_strings *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i]);
    }
    free(list->item);
    *list = (struct cx_strings){0};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

void cx_strings_split(struct cx_strings *list, const char *options)
{
    char *token = cx_alloc(strlen(options) + 1, 1), quote = 0;
    size_t length = 0;
    bool inside = false;

    for (const char *at = options;; at++) {
        if (*at == 0 || (!quote && is_blank(*at))) {
            if (inside) {
                cx_strings_add(list, token, length);
            }
            inside = false;
            length = 0;
            if (*at == 0) {
                break;
            }
            continue;
        }
        inside = true;
        if (quote ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote ? 0 : *at;
        } else if (*at == '\\' && (at[1] == '"' || at[1] == '\\' || (at[1] == ' ' && !quote))) {
            token[length++] = *++at;
        } else {
            token[length++] = *at;
        }
    }
    free(token);
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Options that mean the same to clang. Those that only ask for other code (-cl-opt-disable, -g, -O, -W...)
 * are not wanted. */
static bool is_kept(const char *option)
{
    static const char *const kept[] = {
        "-cl-single-precision-constant",
        "-cl-denorms-are-zero",
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-mad-enable",
        "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only",
        "-cl-fast-relaxed-math",
        "-cl-uniform-work-group-size",
    };

    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
        if (strcmp(option, kept[i]) == 0) {
            return true;
        }
    }
    return starts(option, "-cl-std=") || starts(option, "-cl-ext=");
}

/* The arguments clang gets for OpenCL build options; what it would not know, or what does not matter here, is
 * left out. The standard is for options that name none. */
static void translate(struct cx_strings *arguments, const struct cx_strings *options, const char *standard)
{
    bool has_standard = false;

    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->item[i];
        bool takes_word = strcmp(option, "-D") == 0 || strcmp(option, "-I") == 0 ||
                          strcmp(option, "-U") == 0 || strcmp(option, "-include") == 0;
        if (takes_word && i + 1 < options->count) {
            add(arguments, option);
            add(arguments, options->item[++i]);
        } else if (!takes_word && (starts(option, "-D") || starts(option, "-I") || starts(option, "-U"))) {
            add(arguments, option);
        } else if (is_kept(option)) {
            has_standard |= starts(option, "-cl-std=");
            add(arguments, option);
        }
    }
    if (!has_standard) {
        add(arguments, standard);
    }
}

/* In OpenCL C 3.0 clang wants some names only together, but drivers list the older ones alone. */
static const char *const together[][2] = {{"cl_khr_fp64", "__opencl_c_fp64"},
                                          {"__opencl_c_fp64", "cl_khr_fp64"},
                                          {"cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"},
                                          {"cl_khr_3d_image_writes", "__opencl_c_images"},
                                          {"__opencl_c_3d_image_writes", "cl_khr_3d_image_writes"}};

static bool is_listed(const struct cx_strings *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->item[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The device's extensions and features and no others: clang's own ones by -cl-ext, all of them as macros. */
static void add_extensions(struct cx_strings *arguments, const char *extensions)
{
    struct cx_strings names = {0};
    char *list = cx_alloc(strlen(extensions) * 5 + 128, 1), *at = list;

    cx_strings_split(&names, extensions);
    at = stpcpy(at, "-cl-ext=-all");
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.item[i];
        bool sane =
            strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
        if (!sane || !*name) {
            continue;
        }
        at = stpcpy(stpcpy(at, ",+"), name);
        add_pair(arguments, "-D", name);
        for (size_t j = 0; j < sizeof(together) / sizeof(together[0]); j++) {
            if (strcmp(together[j][0], name) == 0 && !is_listed(&names, together[j][1])) {
                at = stpcpy(stpcpy(at, ",+"), together[j][1]);
                add_pair(arguments, "-U", together[j][1]);
            }
        }
    }
    add(arguments, "-Xclang"); /* the driver takes it for all targets but ours */
    add(arguments, list);
    free(list);
    cx_strings_finish(&names);
}

static void command_line(const struct cx_compile_request *r, const char *const *task, const char *standard,
                         struct cx_strings *arguments)
{
    add(arguments, r->clang);
    for (; *task; task++) {
        add(arguments, *task);
    }
    for (const char *const *fixed = (const char *const[]){"-x", "cl", "-w", "-ferror-limit=1",
                                                          "-fforce-enable-int128", "-o", "-", NULL};
         *fixed; fixed++) {
        add(arguments, *fixed);
    }
    add(arguments, "-target");
    add(arguments, r->bits32 ? "spir" : "spir64");
    if (r->extensions) {
        add_extensions(arguments, r->extensions);
    }
    for (size_t i = 0; i < r->defines.count; i++) {
        add_pair(arguments, "-D", r->defines.item[i]);
    }
    if (r->replies) {
        add(arguments, "-include");
        add(arguments, r->replies);
    }
    translate(arguments, &r->options, standard);
    for (size_t i = 0; i < r->includes.count; i++) {
        add_pair(arguments, "-I", r->includes.item[i]);
    }
    add(arguments, "-I.");
    add(arguments, r->source);
}

char *cx_source_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, room = 0;
    char *text = NULL;

    if (!file) {
        return NULL;
    }
    do {
        room = room * 2 + 65536;
        text = cx_realloc(text, room, 1);
        size += fread(text + size, 1, room - size - 1, file);
    } while (size == room - 1);
    fclose(file);
    text[size] = '\0';
    return text;
}

static int run_clang(void *context)
{
    struct cx_strings *arguments = context;

    /* options of other people's builds, which clang would take for this one */
    unsetenv("CPATH");
    unsetenv("C_INCLUDE_PATH");
    unsetenv("CCC_OVERRIDE_OPTIONS");
    execvp(arguments->item[0], arguments->item);
    fprintf(stderr, "error: cannot run %s\n", arguments->item[0]);
    return 127;
}

/* What clang says of an operator's argument that the device was not asked about (compiler_macros.h), in other
 * words; NULL: it says something else. */
static char *operator_error(const char *line)
{
    static const char mark[] = "function-like macro '" CX_MACRO_OPERATOR "__";
    const char *name = strstr(line, mark), *middle = name ? strstr(name, CX_MACRO_OF) : NULL;
    char *message = NULL;

    if (middle) {
        name += strlen(mark) - 2;
        const char *argument = middle + strlen(CX_MACRO_OF);
        if (asprintf(&message, "%.*s(%.*s) may be another macro to a device's compiler", (int)(middle - name),
                     name, (int)strcspn(argument, "'"), argument) < 0) {
            message = NULL;
        }
    }
    return message;
}

/* The line of clang's output that tells most: the first with "error:", else the first. Where the error is in
 * the file of answers, which nobody else knows: what it says (compiler_macros.c). */
static char *first_error(const struct cx_compile_request *request, const char *text)
{
    const char *line = strstr(text, "error:"), *end;

    while (line && line > text && line[-1] != '\n') {
        line--;
    }
    line = line ? line : text;
    char *message = operator_error(line);
    if (message) {
        return message;
    }
    const char *place = starts(line, "./") ? line + 2 : line; /* where the name is relative */
    if (request->replies && (starts(line, request->replies) || starts(place, request->replies)) &&
        strstr(line, "error: ")) {
        line = strstr(line, "error: ") + strlen("error: ");
    }
    end = strchr(line, '\n');
    return strndup(line, end ? (size_t)(end - line) : strlen(line));
}

static enum cx_process_status compile(const struct cx_compile_request *request, const char *const *task,
                                      const char *standard, struct cx_buffer *out, struct cx_buffer *err)
{
    struct cx_strings arguments = {0};
    enum cx_process_status status;

    command_line(request, task, standard, &arguments);
    status = cx_process_run(run_clang, &arguments, request->limit_ms, request->memory_mb, out, err);
    cx_strings_finish(&arguments);
    return status;
}

/* The number behind the prefix in the file's first such line; 0: there is none. */
static unsigned number_in(const char *path, const char *prefix)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[256];
    unsigned number = 0;

    while (file && !number && fgets(line, sizeof(line), file)) {
        if (starts(line, prefix)) {
            number = (unsigned)strtoul(line + strlen(prefix), NULL, 10);
        }
    }
    if (file) {
        fclose(file);
    }
    return number;
}

/* Whether the device may know more than OpenCL C 1.2 where the options ask for no version: its language is
 * newer by default, or it has the newer one's built-in functions in the older, too, as PoCL does. */
static bool may_be_newer(const struct cx_compile_request *request)
{
    static const char version[] = "__OPENCL_VERSION__=";

    for (size_t i = 0; i < request->options.count; i++) {
        if (starts(request->options.item[i], "-cl-std=")) {
            return false;
        }
    }
    for (size_t i = 0; i < request->defines.count; i++) {
        if (starts(request->defines.item[i], version) &&
            strtoul(request->defines.item[i] + strlen(version), NULL, 10) < 200) {
            return number_in(request->replies, "#define __OPENCL_C_VERSION__ ") >= 200;
        }
    }
    return true;
}

/* Whether a line marker (# LINE "FILE" ...) begins text of the program. */
static bool is_own_file(const char *marker)
{
    static const char *const foreign[] = {"/opencl-c-base.h\"", "/opencl-c.h\"", "\"<built-in>\"",
                                          "\"<command line>\""};
    for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
        if (strstr(marker, foreign[i])) {
            return false;
        }
    }
    return true;
}

/* The program's own lines of the expanded text, with markers that have `path` for the name of its file. */
static char *own_lines(const char *text, size_t size, const char *source, const char *path)
{
    char *copy = strndup(text, size), *result = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&result, &length);
    bool own = true;

    for (char *line = copy, *end; out && line && *line; line = end) {
        end = strchrnul(line, '\n');
        char *last = end;
        end += *end != 0;
        *last = 0;
        if (strncmp(line, "# ", 2) != 0 || line[2] < '0' || line[2] > '9') {
            own ? fprintf(out, "%s\n", line) : 0;
            continue;
        }
        own = is_own_file(line);
        const char *name = strchr(line, '"'), *close = name ? strrchr(line, '"') : NULL;
        if (own && close > name) {
            const int room = (int)(close - name) - 1;
            const bool main = (size_t)room == strlen(source) && !strncmp(name + 1, source, (size_t)room);
            fprintf(out, "#line %lu \"%.*s\"\n", strtoul(line + 2, NULL, 10), main ? (int)strlen(path) : room,
                    main ? path : name + 1);
        }
    }
    if (out) {
        fclose(out);
    }
    free(copy);
    return result;
}

/* What options say of a text whose macros and headers are in their places already. */
static void keep_standing(struct cx_strings *kept, const struct cx_strings *options)
{
    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->item[i];
        if (is_kept(option)) {
            add(kept, option);
        }
    }
}

/* Each error in the file of that name is one of the program's. */
static void rename_errors(struct cx_buffer *err, const char *path, const char *source)
{
    const char *found = err->data ? strstr(err->data, path) : NULL;
    char *text = NULL;

    if (found &&
        asprintf(&text, "%.*s%s%s", (int)(found - err->data), err->data, source, found + strlen(path)) >= 0) {
        free(err->data);
        err->data = text;
        err->size = strlen(text);
    }
}

/* Compiles with inline assembly rewritten. */
static enum cx_process_status compile_rewritten(const struct cx_compile_request *request,
                                                const char *const *task, const char *standard,
                                                struct cx_buffer *out, struct cx_buffer *err)
{
    static const char *const expand[] = {"-E", NULL};
    struct cx_compile_request inner = *request;
    char path[32], *own, *text;
    const int fd = memfd_create("program", 0); /* clang inherits it */
    enum cx_process_status status = compile(request, expand, standard, out, err);

    if (status != CX_PROCESS_OK || fd < 0) {
        close(fd);
        return status;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    own = own_lines(out->data ? out->data : "", out->size, request->source, path);
    text = cx_assembly_rewrite(own ? own : "");
    const ssize_t length = (ssize_t)strlen(text ? text : "");
    free(out->data);
    free(err->data);
    *out = *err = (struct cx_buffer){0};
    inner.source = path;
    inner.replies = NULL;
    inner.options = (struct cx_strings){0};
    keep_standing(&inner.options, &request->options);
    status = write(fd, text ? text : "", (size_t)length) == length ? compile(&inner, task, standard, out, err)
                                                                   : CX_PROCESS_FAILED;
    rename_errors(err, path, request->source);
    cx_strings_finish(&inner.options);
    free(own);
    free(text);
    close(fd);
    return status;
}

static enum cx_process_status compile_program(const struct cx_compile_request *request, const char *standard,
                                              struct cx_buffer *out, struct cx_buffer *err)
{
    /* -fwrapv: signed overflow wraps around on devices, whatever C says; LLVM must not take it that there is
     * none. */
    static const char *const task[] = {"-O1",
                                       "-Xclang",
                                       "-disable-llvm-passes",
                                       "-fwrapv",
                                       "-gline-tables-only",
                                       "-cl-kernel-arg-info",
                                       "-c",
                                       "-emit-llvm",
                                       NULL};
    return (request->assembly ? compile_rewritten : compile)(request, task, standard, out, err);
}

enum cx_process_status cx_compile(const struct cx_compile_request *request, struct cx_buffer *out,
                                  char **message)
{
    struct cx_buffer err;
    enum cx_process_status status = compile_program(request, OLD_STANDARD, out, &err);

    *message = NULL;
    if (status == CX_PROCESS_FAILED && may_be_newer(request)) {
        struct cx_buffer newer, newer_err;
        const enum cx_process_status again = compile_program(request, NEW_STANDARD, &newer, &newer_err);
        if (again == CX_PROCESS_OK) { /* else the first errors tell more */
            const struct cx_buffer older = *out;
            *out = newer;
            newer = older;
            status = again;
        }
        free(newer.data);
        free(newer_err.data);
    }
    if (status == CX_PROCESS_TIMEOUT) {
        *message = strdup("clang took too long");
    } else if (status != CX_PROCESS_OK) {
        *message = first_error(request, err.data && err.size ? err.data : "clang failed without a message");
    }
    free(err.data);
    return status;
}

enum cx_process_status cx_compile_include(const struct cx_compile_request *request, struct cx_buffer *out)
{
    static const char *const task[] = {"-E", "-frewrite-includes", "-cl-no-stdinc", NULL};
    struct cx_buffer err;
    enum cx_process_status status = compile(request, task, OLD_STANDARD, out, &err);

    free(err.data);
    return status;
}

/* Where the program's own folder is does not matter to its text, though __FILE__ shows it. */
static char *folder_map(const char *source)
{
    const char *slash = strrchr(source, '/');
    char *map = cx_alloc(strlen(source) + 32, 1);

    sprintf(map, "-fmacro-prefix-map=%.*s=.", slash ? (int)(slash - source) : 1, slash ? source : ".");
    return map;
}

static bool is_extension_pragma(const char *line)
{
    char first[8], second[8], third[12];

    return sscanf(line, "#%7s %7s %11s", first, second, third) == 3 && strcmp(first, "pragma") == 0 &&
           strcmp(second, "OPENCL") == 0 && strcmp(third, "EXTENSION") == 0;
}

/* Keeps the program's own lines, in place. */
static size_t keep_own(char *text)
{
    char *to = text;
    bool own = true;

    for (char *line = text, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        char *last = end;
        end += *end != 0;
        *last = 0;
        line += strspn(line, " \t");
        if (strncmp(line, "# ", 2) == 0 && line[2] >= '0' && line[2] <= '9') {
            own = is_own_file(line);
        } else if (own && *line && !is_extension_pragma(line)) {
            memmove(to, line, (size_t)(last - line));
            to += last - line;
            *to++ = '\n';
        }
    }
    return (size_t)(to - text);
}

enum cx_process_status cx_compile_text(const struct cx_compile_request *request, struct cx_buffer *out)
{
    char *map = folder_map(request->source), *text;
    const char *const task[] = {"-E", map, NULL};
    struct cx_buffer err;
    enum cx_process_status status = compile(request, task, OLD_STANDARD, out, &err);

    free(err.data);
    free(map);
    if (status == CX_PROCESS_OK && (text = strndup(out->data ? out->data : "", out->size))) {
        free(out->data);
        out->data = text;
        out->size = keep_own(text);
    }
    return status;
}
