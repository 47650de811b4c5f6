/* SPDX-License-Identifier: MIT */
/*
 * Every test kernel through the analyser: do verdict, ways and regions hold that its recipe states? (TAP)
 *
 *   // on: 1024+32/64,16/4           the launch that the lines below speak of: size+offset/local size;
 *                                    without: a middling one
 *   // cut: 1 [by 2]                 it is cut along that dimension, at multiples of so many groups
 *   // way: 0 own                    argument 0; or: none, merge WIDTH, private OPERATION WIDTH
 *   // before: 0                     needs the contents from before; before: no 0 the contrary
 *   // reads: 0 known                or unknown, nothing: what a package in the middle reads through it
 *   // writes: 0 known               the same of writes
 *   // part: 1..2 writes 0 256..512 [exact] [boxed]   what groups [1, 2) write, in bytes; boxed: by boxes
 *   // note: REASON                  stands in the way of any split
 *   // reason: REASON                of this launch
 *   // order: WHY                    what it leaves depends on the order of its work-groups
 *   // checked: 2 3                  it may be split first and checked afterwards, with copies of these
 *                                    arguments' objects
 *
 * `// expect: split` and `whole` are checked on that launch too. Where a reason is stated and a line of the
 * file has the comment "// here" ("// there", of a second line), it must be the one named. A file without any
 * of these lines fails. usage: test_recipes ANALYSER FILE.cl... test_recipes --state ANALYSER FILE.cl...
 * prints what could be stated of each file: to be judged
 */
#include "file.h"
#include "layer/access/access.h"
#include "tests/analyser/apart.h"
#include "recipe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One file while it is checked. */
struct check {
    char *text;
    struct recipe recipe;
    const struct cx_summary_kernel *kernel;
    struct recipe_range range;
    struct cx_access_geometry geometry;
    struct cx_access_arg args[RECIPE_ARGS];
    unsigned char values[RECIPE_ARGS][16];
    struct cx_access *access; /* NULL before the first line that needs it */
    struct cx_access_verdict verdict;
    bool other_llvm;
    unsigned wrong, stated;
    char why[2000];
};

__attribute__((format(printf, 2, 3))) static void wrong(struct check *c, const char *format, ...)
{
    size_t used = strlen(c->why);
    va_list list;
    va_start(list, format);
    used += (size_t)snprintf(c->why + used, sizeof(c->why) - used, "# ");
    if (used < sizeof(c->why))
        used += (size_t)vsnprintf(c->why + used, sizeof(c->why) - used, format, list);
    if (used < sizeof(c->why))
        snprintf(c->why + used, sizeof(c->why) - used, "\n");
    va_end(list);
    c->wrong++;
}

static struct cx_summary *analyse(const char *analyser, const char *path, const char *options)
{
    char output[] = "/tmp/coexec-test-XXXXXX";
    int fd = mkstemp(output), status = -1;
    struct cx_summary *summary = NULL;
    size_t size = 0;
    if (fd < 0)
        return NULL;
    close(fd);
    pid_t child = fork();
    if (child == 0) {
        execl(analyser, analyser, "--time-limit", "60000", "--define", "__OPENCL_VERSION__=300", "--define",
              "__ENDIAN_LITTLE__=1", "-o", output, path, "--", options[0] ? options : (char *)NULL,
              (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    char *blob = file_read(output, &size);
    unlink(output);
    if (status == 0 && blob)
        cx_summary_parse(blob, size, &summary);
    free(blob);
    return summary;
}

/* Rows and slices without gaps. */
static void set_image(struct cx_access_arg *to, const struct recipe_arg *arg,
                      const struct recipe_range *range)
{
    struct recipe_image i = recipe_image(arg, range);
    to->is_image = true;
    to->image = (struct cx_access_image){.width = i.width,
                                         .height = i.height,
                                         .depth = i.depth,
                                         .array_size = i.layers,
                                         .row_pitch = i.width * arg->element,
                                         .slice_pitch = i.width * i.height * arg->element,
                                         .element_size = (uint32_t)arg->element,
                                         .channel_order = i.order,
                                         .channel_type = i.type};
    to->bytes = to->image.slice_pitch * i.depth * i.layers;
}

/* The launch of a check: c->range is set. */
static void set_launch(struct check *c)
{
    const struct recipe *r = &c->recipe;
    cx_access_destroy(&c->access);
    c->geometry = (struct cx_access_geometry){.work_dim = r->dims};
    for (unsigned d = 0; d < r->dims; d++) {
        c->geometry.offset[d] = c->range.offset[d];
        c->geometry.global[d] = c->range.global[d];
        c->geometry.local[d] = c->range.local[d];
    }
    for (unsigned i = 0; i < r->nargs; i++) {
        const struct recipe_arg *arg = &r->arg[i], *of = &r->arg[arg->of];
        struct cx_access_arg *to = &c->args[i];
        *to = (struct cx_access_arg){.value = c->values[i]};
        if (arg->kind == RECIPE_SCALAR || arg->kind == RECIPE_VECTOR) {
            to->size = recipe_scalar(arg, &c->range, c->values[i]);
        } else if (arg->kind == RECIPE_BUFFER) {
            to->object = i + 1;
            to->bytes = recipe_value(arg->size, &c->range) * arg->element;
        } else if (arg->kind == RECIPE_IMAGE) {
            to->object = i + 1;
            set_image(to, arg, &c->range);
        } else if (arg->kind == RECIPE_SAME) {
            *to = c->args[arg->of];
        } else if (arg->kind == RECIPE_WINDOW) {
            to->object = arg->of + 1;
            to->base = recipe_value(arg->from, &c->range) * of->element;
            to->bytes = recipe_value(arg->size, &c->range) * of->element;
        }
    }
}

static void set_default_launch(struct check *c)
{
    static const size_t locals[3][3] = {{64, 1, 1}, {8, 4, 1}, {4, 2, 2}};
    static const size_t groups[3][3] = {{16, 1, 1}, {8, 8, 1}, {4, 4, 4}};
    const struct recipe *r = &c->recipe;
    for (unsigned d = 0; d < 3; d++) {
        c->range.local[d] = r->local[0] ? r->local[d] : locals[r->dims - 1][d];
        c->range.global[d] = r->size[0] ? r->size[d] : c->range.local[d] * groups[r->dims - 1][d];
        c->range.offset[d] = 0;
    }
    set_launch(c);
}

static void read_launch(struct check *c, const char *text)
{
    char *at = (char *)text;
    c->range = (struct recipe_range){.global = {1, 1, 1}, .local = {1, 1, 1}};
    for (unsigned d = 0; d < 3; d++) {
        c->range.global[d] = strtoull(at, &at, 10);
        c->range.offset[d] = *at == '+' ? strtoull(at + 1, &at, 10) : 0;
        c->range.local[d] = *at == '/' ? strtoull(at + 1, &at, 10) : 1;
        if (*at++ != ',')
            break;
    }
    set_launch(c);
}

/* Where only an atomic's order forbids it, the judgement that asks for no order counts if it needs no check.
 */
static void judge_ordered(struct check *c)
{
    struct cx_access_verdict verdict;
    struct cx_access *access;
    cx_access_choose_checked(c->kernel, &c->geometry, c->args, &access, &verdict);
    if (verdict.splits && !verdict.checked) {
        cx_access_destroy(&c->access);
        c->access = access;
        c->verdict = verdict;
    } else {
        cx_access_destroy(&access);
    }
}

static bool judged(struct check *c)
{
    if (!c->access) {
        cx_access_choose(c->kernel, &c->geometry, c->args, &c->access, &c->verdict);
        if (!c->verdict.splits)
            judge_ordered(c);
    }
    if (!c->access)
        wrong(c, "no access object: %s", cx_summary_reason_name(c->verdict.reason));
    return c->access != NULL;
}

/* A stated reason's line where the file marks one with that comment. */
static void check_line(struct check *c, const char *mark, uint32_t line)
{
    const char *at = c->text;
    if (!strstr(c->text, mark))
        return;
    for (uint32_t i = 1; at && i < line; i++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    size_t length = at ? strcspn(at, "\n") : 0;
    if (line == 0 || !memmem(at, length, mark, strlen(mark)))
        wrong(c, "names line %u, not that with %s", line, mark);
}

static void check_reason(struct check *c, const char *value, enum cx_summary_reason reason, uint32_t line)
{
    if (strcmp(cx_summary_reason_name(reason), value) != 0)
        wrong(c, "reason %s, found %s in line %u", value, cx_summary_reason_name(reason), line);
    else
        check_line(c, "// here", line);
}

static const char *way_name(const struct cx_access_means *m, char name[40])
{
    static const char *const ops[CX_ATOMIC_COUNT] = {
        [CX_ATOMIC_ADD] = "add",   [CX_ATOMIC_MIN] = "min",   [CX_ATOMIC_MAX] = "max",
        [CX_ATOMIC_UMIN] = "umin", [CX_ATOMIC_UMAX] = "umax", [CX_ATOMIC_AND] = "and",
        [CX_ATOMIC_OR] = "or",     [CX_ATOMIC_XOR] = "xor",   [CX_ATOMIC_FADD] = "fadd"};
    const char *op = m->atomic_op < CX_ATOMIC_COUNT && ops[m->atomic_op] ? ops[m->atomic_op] : "?";
    if (m->protocol == CX_PROTOCOL_MERGE)
        snprintf(name, 40, "merge %u", m->width);
    else if (m->protocol == CX_PROTOCOL_REDUCTION)
        snprintf(name, 40, "private %s %u", op, m->width);
    else
        snprintf(name, 40, "%s", m->protocol == CX_PROTOCOL_EXCLUSIVE ? "own" : "none");
    return name;
}

static void check_way(struct check *c, const char *value)
{
    char name[40], *rest;
    unsigned long arg = strtoul(value, &rest, 10);
    if (!judged(c))
        return;
    if (!c->verdict.splits)
        wrong(c, "way %s, but whole: %s in line %u", value, cx_summary_reason_name(c->verdict.reason),
              c->verdict.line);
    else if (arg >= c->kernel->narg ||
             strcmp(way_name(&cx_access_means(c->access)[arg], name), rest + 1) != 0)
        wrong(c, "way %s, found %s", value, name);
}

/* The arguments that the list names, and no others, are of objects with copies. */
static void check_checked(struct check *c, const char *value)
{
    struct cx_access_verdict verdict;
    struct cx_access *access;
    uint64_t named = 0, found = 0;
    char *at = (char *)(uintptr_t)value;
    while (*at)
        named |= UINT64_C(1) << (strtoul(at, &at, 10) & 63);
    cx_access_choose_checked(c->kernel, &c->geometry, c->args, &access, &verdict);
    for (uint32_t i = 0; verdict.checked && i < c->kernel->narg; i++)
        if (cx_access_means(access)[i].protocol == CX_PROTOCOL_CHECKED)
            found |= UINT64_C(1) << i;
    if (found != named)
        wrong(c, "checked %s, found %llx, %s", value, (unsigned long long)found,
              cx_summary_reason_name(verdict.reason));
    cx_access_destroy(&access);
}

static void check_before(struct check *c, const char *value)
{
    bool wanted = strncmp(value, "no ", 3) != 0;
    unsigned long arg = strtoul(wanted ? value : value + 3, NULL, 10);
    if (judged(c) && (arg >= c->kernel->narg || cx_access_means(c->access)[arg].before != wanted))
        wrong(c, "before %s", value);
}

/* What a package in the middle touches. */
static void check_touch(struct check *c, bool writes, const char *value)
{
    struct cx_access_region regions[RECIPE_ARGS];
    char word[16] = "";
    unsigned arg;
    if (!judged(c) || sscanf(value, "%u %15s", &arg, word) != 2 || arg >= c->kernel->narg) {
        wrong(c, "cannot check %s", value);
        return;
    }
    uint64_t q = c->verdict.granularity, groups = c->verdict.groups, g0 = groups / 2 / q * q;
    cx_access_package(c->access, g0, g0 + q < groups ? g0 + q : groups, regions);
    const struct cx_access_interval *i = writes ? &regions[arg].write : &regions[arg].read;
    const char *found = !i->known ? "unknown" : i->lo == i->hi ? "nothing" : "known";
    if (strcmp(found, word) != 0)
        wrong(c, "%s %s, found %s", writes ? "writes" : "reads", value, found);
}

static void check_part(struct check *c, const char *value)
{
    struct cx_access_region regions[RECIPE_ARGS];
    unsigned long long g0, g1, lo, hi;
    char mode[8], words[2][8] = {"", ""};
    unsigned arg;
    if (!judged(c) ||
        sscanf(value, "%llu..%llu %7s %u %llu..%llu %7s %7s", &g0, &g1, mode, &arg, &lo, &hi, words[0],
               words[1]) < 6 ||
        arg >= c->kernel->narg) {
        wrong(c, "cannot check %s", value);
        return;
    }
    cx_access_package(c->access, g0, g1, regions);
    const struct cx_access_region *r = &regions[arg];
    const struct cx_access_interval *i = strcmp(mode, "writes") == 0 ? &r->write : &r->read;
    unsigned boxes = strcmp(mode, "writes") == 0 ? r->nwrite : r->nread;
    bool exact = strcmp(words[0], "exact") == 0;
    bool boxed = strcmp(words[0], "boxed") == 0 || strcmp(words[1], "boxed") == 0;
    if (!i->known || i->lo != lo || i->hi != hi || i->exact != exact || (boxes > 0) != boxed)
        wrong(c, "part %s, found %s%llu..%llu%s, %u boxes", value, i->known ? "" : "unknown ",
              (unsigned long long)i->lo, (unsigned long long)i->hi, i->exact ? " exact" : "", boxes);
}

static void check_cut(struct check *c, const char *value)
{
    unsigned dim = 9;
    unsigned long long by = 1;
    if (sscanf(value, "%u by %llu", &dim, &by) >= 1 && judged(c) &&
        (!c->verdict.splits || c->verdict.dim != dim || c->verdict.granularity != by))
        wrong(c, "cut %s, found %s %u by %llu", value, c->verdict.splits ? "split" : "whole", c->verdict.dim,
              (unsigned long long)c->verdict.granularity);
}

static void check_expect(struct check *c, const char *value)
{
    bool whole = strncmp(value, "whole", 5) == 0, split = strcmp(value, "split") == 0;
    if ((!whole && !split) || !judged(c))
        return;
    if (c->verdict.splits != split)
        wrong(c, "expect %s, found %s in line %u", value,
              c->verdict.splits ? "a split" : cx_summary_reason_name(c->verdict.reason), c->verdict.line);
}

/* No package owns what another one owns. */
static void check_apart(struct check *c)
{
    struct cx_random r = {1};
    char why[200];
    if (judged(c) && c->verdict.splits &&
        !apart_check(c->access, c->kernel->narg, c->args, &c->verdict, &r, NULL, NULL, why, sizeof(why)))
        wrong(c, "%s", why);
}

static void check_statement(struct check *c, const char *key, const char *value)
{
    static const char *const stating[] = {"way", "reads", "writes", "part", "note", "reason", "checked"};
    uint32_t line = 0;
    for (unsigned i = 0; i < sizeof(stating) / sizeof(*stating); i++)
        c->stated += strcmp(key, stating[i]) == 0;
    if (strcmp(key, "on") == 0) {
        read_launch(c, value);
    } else if (strcmp(key, "expect") == 0) {
        if (strncmp(value, "whole", 5) == 0 && judged(c) && c->verdict.splits)
            wrong(c, "whole, but splits");
    } else if (strcmp(key, "cut") == 0) {
        check_cut(c, value);
    } else if (strcmp(key, "way") == 0) {
        check_way(c, value);
    } else if (strcmp(key, "checked") == 0) {
        check_checked(c, value);
    } else if (strcmp(key, "before") == 0) {
        check_before(c, value);
    } else if (strcmp(key, "reads") == 0 || strcmp(key, "writes") == 0) {
        check_touch(c, key[0] == 'w', value);
    } else if (strcmp(key, "part") == 0) {
        check_part(c, value);
    } else if (strcmp(key, "note") == 0) {
        enum cx_summary_reason reason = cx_summary_forbids(c->kernel, &line, NULL);
        check_reason(c, value, reason, line);
    } else if (strcmp(key, "reason") == 0 && judged(c)) {
        check_reason(c, value, c->verdict.reason, c->verdict.line);
        check_line(c, "// there", c->verdict.other);
    }
}

/* ---- what could be stated ---- */

static void state_touch(const struct check *c, bool writes, unsigned arg, uint64_t g0, uint64_t g1)
{
    struct cx_access_region regions[RECIPE_ARGS];
    cx_access_package(c->access, g0, g1, regions);
    const struct cx_access_region *r = &regions[arg];
    const struct cx_access_interval *i = writes ? &r->write : &r->read;
    const char *what = writes ? "writes" : "reads";
    if (!i->known)
        printf("// %s: %u unknown\n", what, arg);
    else if (i->lo < i->hi)
        printf("// part: %llu..%llu %s %u %llu..%llu%s%s\n", (unsigned long long)g0, (unsigned long long)g1,
               what, arg, (unsigned long long)i->lo, (unsigned long long)i->hi, i->exact ? " exact" : "",
               (writes ? r->nwrite : r->nread) ? " boxed" : "");
}

static void state(struct check *c)
{
    char name[40];
    set_default_launch(c);
    if (!judged(c))
        return;
    enum cx_summary_reason note = cx_summary_forbids(c->kernel, NULL, NULL);
    if (note || !c->verdict.splits)
        printf("// %s: %s\n", note ? "note" : "reason",
               cx_summary_reason_name(note ? note : c->verdict.reason));
    const uint64_t q = c->verdict.granularity, groups = c->verdict.groups, g0 = groups / 2 / q * q;
    if (c->verdict.splits && (c->recipe.dims > 1 || q > 1))
        printf("// cut: %u by %llu\n", c->verdict.dim, (unsigned long long)q);
    for (unsigned i = 0; i < c->kernel->narg && c->verdict.splits; i++) {
        const struct cx_access_means *m = &cx_access_means(c->access)[i];
        if (m->protocol != CX_PROTOCOL_NONE)
            printf("// way: %u %s\n", i, way_name(m, name));
        state_touch(c, true, i, g0, g0 + 2 * q < groups ? g0 + 2 * q : groups);
        state_touch(c, false, i, g0, g0 + 2 * q < groups ? g0 + 2 * q : groups);
    }
    cx_access_destroy(&c->access);
}

static void check_lines(struct check *c)
{
    char key[16], value[128], expect[128] = "";
    set_default_launch(c);
    for (const char *line = c->text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (sscanf(line, "// %15[a-z]: %127[^\n]", key, value) != 2)
            continue;
        if (strcmp(key, "llvm") == 0 && strtol(value, NULL, 10) != ANALYSER_LLVM)
            c->other_llvm = true;
        if (strcmp(key, "llvm") == 0)
            continue;
        if (strcmp(key, "expect") == 0)
            memcpy(expect, value, sizeof(expect));
        else
            check_statement(c, key, value);
    }
    if (!c->stated)
        wrong(c, "states nothing of ways, regions or reasons");
    check_expect(c, expect);
    check_apart(c);
    cx_access_destroy(&c->access);
}

/* ---- files ---- */

struct entry {
    const char *path;
    struct check check;
    bool done;
};

static bool belong_together(const struct recipe *a, const struct recipe *b)
{
    return !a->alone && !b->alone && strcmp(a->options, b->options) == 0;
}

/* Analyses files as one program, each with its own lines; NULL: it is none. */
static struct cx_summary *analyse_together(const char *analyser, struct entry *const *entries, unsigned n)
{
    char input[] = "/tmp/coexec-test-XXXXXX.cl";
    int fd = mkstemps(input, 3);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        fprintf(file, "#line 1\n%s\n", entries[i]->check.text);
    fclose(file);
    struct cx_summary *summary = analyse(analyser, input, entries[0]->check.recipe.options);
    unlink(input);
    return summary;
}

static void check_together(const char *analyser, struct entry *const *entries, unsigned n, bool only_state)
{
    struct cx_summary *summary = analyse_together(analyser, entries, n);
    for (unsigned i = 0; i < n; i++) {
        struct check *c = &entries[i]->check;
        c->kernel = summary ? cx_summary_find(summary, c->recipe.name) : NULL;
        if (!summary && n > 1)
            check_together(analyser, &entries[i], 1, only_state);
        else if (!c->kernel || c->kernel->narg != c->recipe.nargs)
            wrong(c, "not analysed, or the recipe's arguments are not the kernel's");
        else if (only_state)
            state(c);
        else
            check_lines(c);
        if (only_state)
            printf("ok - %s\n", entries[i]->path);
    }
    cx_summary_destroy(&summary);
}

enum { MOST_TOGETHER = 16 };

/* One run of the analyser for some files of equal options: starting it takes longest. */
static void check_from(const char *analyser, struct entry *entry, unsigned left, bool only_state)
{
    struct entry *batch[MOST_TOGETHER];
    unsigned n = 0;
    for (unsigned i = 0; i < left && n < MOST_TOGETHER; i++) {
        if (entry[i].done || (n && !belong_together(&batch[0]->check.recipe, &entry[i].check.recipe)))
            continue;
        entry[i].done = true;
        batch[n++] = &entry[i];
        if (entry[i].check.recipe.alone)
            break;
    }
    if (n)
        check_together(analyser, batch, n, only_state);
}

int main(int argc, char **argv)
{
    const bool only_state = argc > 1 && strcmp(argv[1], "--state") == 0;
    const int first = only_state ? 3 : 2;
    const unsigned count = argc > first ? (unsigned)(argc - first) : 0;
    struct entry *entries = calloc(count + 1, sizeof(*entries));
    unsigned failures = 0;
    for (unsigned i = 0; i < count; i++) {
        struct check *c = &entries[i].check;
        entries[i].path = argv[first + (int)i];
        c->text = file_read(entries[i].path, NULL);
        if (!c->text || !recipe_read(&c->recipe, entries[i].path, c->text)) {
            wrong(c, "cannot be read");
            entries[i].done = true;
        }
    }
    printf("1..%u\n", count);
    for (unsigned i = 0; i < count; i++) {
        check_from(argv[first - 1], &entries[i], count - i, only_state);
        struct check *c = &entries[i].check;
        c->wrong = c->other_llvm ? 0 : c->wrong;
        if (!only_state)
            printf("%s %u - %s%s\n%s", c->wrong ? "not ok" : "ok", i + 1, entries[i].path,
                   c->other_llvm ? " # SKIP it tells of another LLVM" : "", c->why);
        fflush(stdout);
        failures += c->wrong != 0;
    }
    for (unsigned i = 0; i < count; i++)
        free(entries[i].check.text);
    free(entries);
    return failures != 0;
}
