/* SPDX-License-Identifier: MIT */
/*
 * Real kernels through the analyser: each line "//! ..." of a .cl file is an expectation.
 *
 *     //! KERNEL refused REASON [here]
 *     //! KERNEL llvm VERSION ...: as below, with that version of LLVM alone
 *     //! KERNEL on GEOMETRY [SCALARS] [same B=A[+OFFSET]] splits DIM [by GRANULARITY]
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] mended REASON [here]
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] whole REASON [here [there]]
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] checked ARG...: it is split first and checked afterwards,
 *         with copies of these arguments' objects
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] unchecked REASON [here]: not even that
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] way ARG none | own | before | merge WIDTH | private OP
 * WIDTH
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] part G0..G1 ARG reads|writes LO..HI [exact] | nothing |
 * unknown
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] part G0..G1 ARG reads|writes in BOX...
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] all ARG reads|writes ...
 *     //! KERNEL on GEOMETRY [SCALARS] [same ...] steps LO..HI | unknown
 *     //!! BUILD OPTIONS
 *
 * BOX is LO+LEN[xCOUNT/STRIDE[xCOUNT/STRIDE]][!], exact with the exclamation mark; "in" alone means no box.
 * "splits" means separable, "mended" that the launch splits but not all is OWN with no need for the contents
 * before ("before"), "whole" that it does not. GEOMETRY is GLOBAL[+OFFSET]/LOCAL for each dimension, with
 * commas. Before "splits" and the like, "image W,H,D" sizes all images (D: also layers; without:
 * 1024,1024,8); their texels have 4 bytes and their rows no gaps. SCALARS are NAME=VALUE or, for bytes of a
 * struct, NAME@OFFSET:BYTES=VALUE, with commas. "here" means that the reason names a line which has the
 * comment "// here", "there" the same of a second line. Run as `test_kernels ANALYSER FILE.cl...`; each
 * expectation is one test (TAP).
 */
#include "file.h"
#include "layer/access/access.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGS  16
#define MAX_LINES 1000

struct source {
    char *text;
    char *line[MAX_LINES];
    unsigned count;
    char options[200];
};

struct expectation {
    const struct cx_summary_kernel *kernel;
    const struct source *source;
    struct cx_access_geometry geometry;
    struct cx_access_arg args[MAX_ARGS];
    unsigned char value[MAX_ARGS][128];
    char why[300]; /* the first thing that is wrong */
};

static unsigned tests, failures;

#define wrong(e, ...)                                                                                        \
    do {                                                                                                     \
        if (!(e)->why[0]) {                                                                                  \
            snprintf((e)->why, sizeof((e)->why), __VA_ARGS__);                                               \
        }                                                                                                    \
    } while (0)

static bool load_source(struct source *s, const char *path)
{
    size_t size;
    char *at;

    memset(s, 0, sizeof(*s));
    s->text = file_read(path, &size);
    at = s->text;
    while (at && *at && s->count < MAX_LINES) {
        char *end = strchr(at, '\n');
        s->line[s->count++] = at;
        if (end) {
            *end = 0;
        }
        if (strncmp(at, "//!! ", 5) == 0) {
            snprintf(s->options, sizeof(s->options), "%s", at + 5);
        }
        at = end ? end + 1 : NULL;
    }
    return s->text != NULL;
}

static struct cx_summary *analyse(const char *analyser, const char *path, const char *options)
{
    char output[] = "/tmp/coexec-test-XXXXXX";
    int fd = mkstemp(output), status = -1;
    struct cx_summary *summary = NULL;
    size_t size = 0;
    char *blob;
    pid_t child;

    if (fd < 0) {
        return NULL;
    }
    close(fd);
    child = fork();
    if (child == 0) {
        execl(analyser, analyser, "--time-limit", "60000", "-o", output, path, "--", options, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    blob = file_read(output, &size);
    unlink(output);
    if (status == 0 && blob) {
        cx_summary_parse(blob, size, &summary);
    }
    free(blob);
    return summary;
}

static int arg_index(const struct cx_summary_kernel *k, const char *name, size_t length)
{
    for (uint32_t i = 0; i < k->narg; i++) {
        if (strlen(k->arg[i].name) == length && strncmp(k->arg[i].name, name, length) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void parse_geometry(struct expectation *e, const char *text)
{
    struct cx_access_geometry *g = &e->geometry;
    char *at = (char *)text;

    *g = (struct cx_access_geometry){0};
    for (;;) {
        unsigned d = g->work_dim++;
        if (d > 2) {
            wrong(e, "geometry");
            return;
        }
        g->global[d] = strtoull(at, &at, 10);
        g->offset[d] = *at == '+' ? strtoull(at + 1, &at, 10) : 0;
        g->local[d] = *at == '/' ? strtoull(at + 1, &at, 10) : 1;
        if (*at++ != ',') {
            return;
        }
    }
}

static void parse_scalars(struct expectation *e, char *text)
{
    char *save = NULL;

    for (char *one = strtok_r(text, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
        size_t length = strcspn(one, "@="), bytes;
        int arg = arg_index(e->kernel, one, length);
        char *at = one + length;
        unsigned long offset = 0;
        long long value;
        if (arg < 0) {
            wrong(e, "no argument %s", one);
            return;
        }
        bytes = e->kernel->arg[arg].size;
        if (*at == '@') {
            offset = strtoul(at + 1, &at, 10);
            bytes = strtoul(at + 1, &at, 10);
        }
        value = strtoll(at + 1, NULL, 10);
        if (offset + bytes > sizeof(e->value[arg]) || bytes > 8) {
            wrong(e, "argument %s is too large", one);
            return;
        }
        memcpy(e->value[arg] + offset, &value, bytes);
    }
}

/* B=A or B=A+OFFSET: B points into A's buffer. */
static void parse_same(struct expectation *e, const char *text)
{
    const char *equal = strchr(text, '='), *plus = strchr(text, '+');
    int b = arg_index(e->kernel, text, equal ? (size_t)(equal - text) : 0);
    int a =
        equal ? arg_index(e->kernel, equal + 1, plus ? (size_t)(plus - equal - 1) : strlen(equal + 1)) : -1;

    if (a < 0 || b < 0) {
        wrong(e, "no arguments %s", text);
        return;
    }
    e->args[b].object = e->args[a].object;
    e->args[b].base = e->args[a].base + (plus ? strtoull(plus + 1, NULL, 10) : 0);
}

/* All image arguments: texels of 4 bytes, rows and slices without gaps. */
static void set_images(struct expectation *e, const char *text)
{
    uint64_t size[3] = {1, 1, 1};
    char *at = (char *)text;

    for (unsigned i = 0; i < 3 && *at; i++) {
        size[i] = strtoull(at, &at, 10);
        at += *at == ',';
    }
    for (uint32_t i = 0; i < e->kernel->narg && i < MAX_ARGS; i++) {
        bool array = strstr(e->kernel->arg[i].type, "array"),
             line = strstr(e->kernel->arg[i].type, "image1d");
        uint64_t height = line ? 1 : size[1], depth = line && !array ? 1 : line ? size[1] : size[2];
        if (e->kernel->arg[i].kind != CX_ARG_IMAGE) {
            continue;
        }
        e->args[i].is_image = true;
        e->args[i].bytes = size[0] * height * depth * 4;
        e->args[i].image = (struct cx_access_image){.width = size[0],
                                                    .height = height,
                                                    .depth = array ? 1 : depth,
                                                    .array_size = array ? depth : 1,
                                                    .row_pitch = size[0] * 4,
                                                    .slice_pitch = size[0] * height * 4,
                                                    .element_size = 4,
                                                    .channel_order = 0x10b5, /* CL_RGBA */
                                                    .channel_type = 0x10da}; /* CL_UNSIGNED_INT8 */
    }
}

/* The word names the comment that the line must have; NULL: any line will do. */
static void check_line(struct expectation *e, const char *word, uint32_t line)
{
    char comment[20];

    snprintf(comment, sizeof(comment), "// %s", word ? word : "");
    if (word && (line == 0 || line > e->source->count || !strstr(e->source->line[line - 1], comment))) {
        wrong(e, "names line %u, not the one with %s", line, comment);
    }
}

static void check_reason(struct expectation *e, enum cx_summary_reason found, const char *name)
{
    if (!name || strcmp(cx_summary_reason_name(found), name) != 0) {
        wrong(e, "found %s", cx_summary_reason_name(found));
    }
}

static void check_interval(struct expectation *e, const struct cx_access_interval *i, char **save)
{
    const char *word = strtok_r(NULL, " ", save), *more = strtok_r(NULL, " ", save);
    char *at;
    unsigned long long lo, hi;

    if (word && strcmp(word, "unknown") == 0) {
        if (i->known) {
            wrong(e, "found %llu..%llu", (unsigned long long)i->lo, (unsigned long long)i->hi);
        }
        return;
    }
    if (word && strcmp(word, "nothing") == 0) {
        word = "0..0";
    }
    lo = word ? strtoull(word, &at, 10) : 1;
    hi = word && strncmp(at, "..", 2) == 0 ? strtoull(at + 2, NULL, 10) : 0;
    if (!i->known || i->lo != lo || i->hi != hi) {
        wrong(e, "found %s%llu..%llu", i->known ? "" : "unknown ", (unsigned long long)i->lo,
              (unsigned long long)i->hi);
    }
    if (i->exact != (more && strcmp(more, "exact") == 0)) {
        wrong(e, "found %s", i->exact ? "exact" : "not exact");
    }
}

static void check_boxes(struct expectation *e, const struct cx_access_box *box, unsigned n, char **save)
{
    const char *expected = strtok_r(NULL, "", save);
    char found[300] = "";

    for (unsigned i = 0; i < n; i++) {
        size_t at = strlen(found);
        snprintf(found + at, sizeof(found) - at, "%s%llu+%llu", i ? " " : "", (unsigned long long)box[i].lo,
                 (unsigned long long)box[i].len);
        for (unsigned j = 0; j < 2 && box[i].count[j] > 1; j++) {
            at = strlen(found);
            snprintf(found + at, sizeof(found) - at, "x%llu/%llu", (unsigned long long)box[i].count[j],
                     (unsigned long long)box[i].stride[j]);
        }
        strcat(found, box[i].exact ? "!" : "");
    }
    if (strcmp(expected ? expected : "", found) != 0) {
        wrong(e, "found boxes %s", found);
    }
}

static void check_part(struct expectation *e, bool all, char **save)
{
    struct cx_access_region regions[MAX_ARGS];
    struct cx_access_verdict v;
    struct cx_access *a;
    char *part = all ? NULL : strtok_r(NULL, " ", save), *name = strtok_r(NULL, " ", save);
    char *mode = strtok_r(NULL, " ", save);
    int arg = name ? arg_index(e->kernel, name, strlen(name)) : -1;

    cx_access_choose(e->kernel, &e->geometry, e->args, &a, &v);
    if (!a || !mode || arg < 0) {
        wrong(e, "no access or no argument %s", name ? name : "");
        cx_access_destroy(&a);
        return;
    }
    if (all) {
        cx_access_whole(a, regions);
    } else {
        uint64_t g0 = strtoull(part, &part, 10), g1 = strtoull(part + 2, NULL, 10);
        cx_access_package(a, g0, g1, regions);
    }
    if (*save && strncmp(*save, "in", 2) == 0) {
        bool reads = strcmp(mode, "reads") == 0;
        strtok_r(NULL, " ", save);
        check_boxes(e, reads ? regions[arg].read_box : regions[arg].write_box,
                    reads ? regions[arg].nread : regions[arg].nwrite, save);
    } else {
        check_interval(e, strcmp(mode, "reads") == 0 ? &regions[arg].read : &regions[arg].write, save);
    }
    cx_access_destroy(&a);
}

static void check_splits(struct expectation *e, char **save)
{
    const char *dim = strtok_r(NULL, " ", save), *by = strtok_r(NULL, " ", save);
    const char *granularity = by ? strtok_r(NULL, " ", save) : "1";
    struct cx_access_verdict v;

    cx_access_choose(e->kernel, &e->geometry, e->args, NULL, &v);
    if (!v.separable) {
        wrong(e, "%s: %s, argument %d, line %u", v.splits ? "mended" : "whole",
              cx_summary_reason_name(v.reason), v.arg, v.line);
    } else if (!dim || !granularity || v.dim != strtoul(dim, NULL, 10) ||
               v.granularity != strtoull(granularity, NULL, 10)) {
        wrong(e, "splits %u by %llu", v.dim, (unsigned long long)v.granularity);
    }
}

static void check_not_separable(struct expectation *e, bool splits, char **save)
{
    const char *reason = strtok_r(NULL, " ", save), *here = strtok_r(NULL, " ", save);
    const char *there = strtok_r(NULL, " ", save);
    struct cx_access_verdict v;

    if (cx_access_choose(e->kernel, &e->geometry, e->args, NULL, &v) != splits || v.separable) {
        wrong(e, "%s %u by %llu",
              v.separable ? "splits"
              : v.splits  ? "mended"
                          : "whole",
              v.dim, (unsigned long long)v.granularity);
        return;
    }
    check_reason(e, v.reason, reason);
    check_line(e, here, v.line);
    check_line(e, there, v.other);
}

/* The arguments that the list names, and no others, are of objects with copies. */
static void check_copies(struct expectation *e, const struct cx_access *a, char **save)
{
    bool named[MAX_ARGS] = {false};

    for (const char *name = strtok_r(NULL, " ", save); name; name = strtok_r(NULL, " ", save)) {
        int arg = arg_index(e->kernel, name, strlen(name));
        if (arg < 0) {
            wrong(e, "no argument %s", name);
            return;
        }
        named[arg] = true;
    }
    for (uint32_t i = 0; i < e->kernel->narg; i++) {
        if ((cx_access_means(a)[i].protocol == CX_PROTOCOL_CHECKED) != named[i]) {
            wrong(e, "%s has %s", e->kernel->arg[i].name, named[i] ? "no copies" : "copies");
            return;
        }
    }
}

static void check_checked(struct expectation *e, bool checked, char **save)
{
    struct cx_access_verdict v;
    struct cx_access *a;

    if (cx_access_choose(e->kernel, &e->geometry, e->args, NULL, &v)) {
        wrong(e, "it splits anyway");
        return;
    }
    cx_access_choose_checked(e->kernel, &e->geometry, e->args, &a, &v);
    if (v.checked != checked || v.splits != checked || v.separable || !a) {
        wrong(e, "%s, %s", v.checked ? "checked" : "unchecked", cx_summary_reason_name(v.reason));
    } else if (checked) {
        check_copies(e, a, save);
    } else {
        check_reason(e, v.reason, strtok_r(NULL, " ", save));
        check_line(e, strtok_r(NULL, " ", save), v.line);
    }
    cx_access_destroy(&a);
}

static void check_way(struct expectation *e, char **save)
{
    static const char *const ops[] = {"none", "add",  "sub", "inc", "dec", "min",  "max",
                                      "umin", "umax", "and", "or",  "xor", "fadd", "other"};
    const char *name = strtok_r(NULL, " ", save), *expected = strtok_r(NULL, "", save);
    int arg = name ? arg_index(e->kernel, name, strlen(name)) : -1;
    const struct cx_access_means *m;
    struct cx_access_verdict v;
    struct cx_access *a;
    char found[100];

    cx_access_choose(e->kernel, &e->geometry, e->args, &a, &v);
    if (!a || arg < 0 || !expected) {
        wrong(e, "no access or no argument");
        cx_access_destroy(&a);
        return;
    }
    m = &cx_access_means(a)[arg];
    if (m->protocol == CX_PROTOCOL_REDUCTION) {
        snprintf(found, sizeof(found), "private %s %u", ops[m->atomic_op], m->width);
    } else if (m->protocol == CX_PROTOCOL_MERGE) {
        snprintf(found, sizeof(found), "merge %u", m->width);
    } else {
        snprintf(found, sizeof(found), "%s",
                 m->protocol == CX_PROTOCOL_NONE ? "none"
                 : m->before                     ? "before"
                                                 : "own");
    }
    if (strcmp(found, expected) != 0) {
        wrong(e, "found %s", found);
    }
    if ((m->protocol == CX_PROTOCOL_MERGE || m->protocol == CX_PROTOCOL_REDUCTION) !=
        (m->why != CX_REASON_NONE)) {
        wrong(e, "why");
    }
    cx_access_destroy(&a);
}

/* Steps a work-item, roughly: how many depends on the compiler. */
static void check_steps(struct expectation *e, char **save)
{
    const struct cx_access_geometry *g = &e->geometry;
    const char *expected = strtok_r(NULL, " ", save), *end = expected ? strstr(expected, "..") : NULL;
    struct cx_access_verdict v;
    struct cx_access *a;
    double steps;

    cx_access_choose(e->kernel, g, e->args, &a, &v);
    steps = a ? cx_access_steps(a) : -1;
    for (unsigned d = 0; d < g->work_dim; d++) {
        steps /= (double)g->global[d];
    }
    if (end ? steps < strtod(expected, NULL) || steps > strtod(end + 2, NULL)
            : !expected || strcmp(expected, "unknown") != 0 || steps < 1e300) {
        wrong(e, "%g", steps);
    }
    cx_access_destroy(&a);
}

static void check_launch(struct expectation *e, char **save)
{
    char *word = strtok_r(NULL, " ", save);

    for (uint32_t i = 0; i < e->kernel->narg && i < MAX_ARGS; i++) {
        e->args[i] = (struct cx_access_arg){
            .value = e->value[i], .size = sizeof(e->value[i]), .object = i + 1, .bytes = UINT64_C(1) << 33};
    }
    parse_geometry(e, word ? word : "");
    set_images(e, "1024,1024,8");
    for (word = strtok_r(NULL, " ", save); word && !e->why[0]; word = strtok_r(NULL, " ", save)) {
        if (strcmp(word, "same") == 0) {
            word = strtok_r(NULL, " ", save);
            parse_same(e, word ? word : "");
        } else if (strcmp(word, "image") == 0) {
            word = strtok_r(NULL, " ", save);
            set_images(e, word ? word : "");
        } else if (strcmp(word, "splits") == 0) {
            check_splits(e, save);
            return;
        } else if (strcmp(word, "whole") == 0 || strcmp(word, "mended") == 0) {
            check_not_separable(e, *word == 'm', save);
            return;
        } else if (strcmp(word, "checked") == 0 || strcmp(word, "unchecked") == 0) {
            check_checked(e, *word == 'c', save);
            return;
        } else if (strcmp(word, "steps") == 0) {
            check_steps(e, save);
            return;
        } else if (strcmp(word, "way") == 0) {
            check_way(e, save);
            return;
        } else if (strcmp(word, "part") == 0 || strcmp(word, "all") == 0) {
            check_part(e, *word == 'a', save);
            return;
        } else {
            parse_scalars(e, word);
        }
    }
    wrong(e, "no expectation");
}

static void check_refused(struct expectation *e, char **save)
{
    const char *reason = strtok_r(NULL, " ", save), *here = strtok_r(NULL, " ", save);
    uint32_t line;

    check_reason(e, cx_summary_forbids(e->kernel, &line, NULL), reason);
    check_line(e, here, line);
}

static void check_expectation(const struct cx_summary *summary, const struct source *source, const char *line)
{
    struct expectation e = {.source = source};
    char text[400], *save = NULL, *name, *verb;

    snprintf(text, sizeof(text), "%s", line + 4);
    name = strtok_r(text, " ", &save);
    verb = strtok_r(NULL, " ", &save);
    if (verb && strcmp(verb, "llvm") == 0) {
        const char *version = strtok_r(NULL, " ", &save);
        if (!version || strtol(version, NULL, 10) != ANALYSER_LLVM) {
            printf("ok %u - %s # SKIP\n", ++tests, line + 4);
            return;
        }
        verb = strtok_r(NULL, " ", &save);
    }
    e.kernel = name ? cx_summary_find(summary, name) : NULL;
    if (!e.kernel || !verb) {
        wrong(&e, "no such kernel");
    } else if (strcmp(verb, "refused") == 0) {
        check_refused(&e, &save);
    } else if (strcmp(verb, "on") == 0) {
        check_launch(&e, &save);
    } else {
        wrong(&e, "%s is no expectation", verb);
    }
    failures += e.why[0] != 0;
    printf("%s %u - %s%s%s\n", e.why[0] ? "not ok" : "ok", ++tests, line + 4, e.why[0] ? ": " : "", e.why);
}

static void check_file(const char *analyser, const char *path)
{
    static struct source source;
    struct cx_summary *summary = load_source(&source, path) ? analyse(analyser, path, source.options) : NULL;

    if (!summary) {
        failures++;
        printf("not ok %u - %s: not analysed\n", ++tests, path);
    }
    for (unsigned i = 0; summary && i < source.count; i++) {
        if (strncmp(source.line[i], "//! ", 4) == 0) {
            check_expectation(summary, &source, source.line[i]);
        }
    }
    cx_summary_destroy(&summary);
    free(source.text);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        check_file(argv[1], argv[i]);
    }
    printf("1..%u\n", tests);
    return failures != 0;
}
