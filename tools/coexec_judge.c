/* SPDX-License-Identifier: MIT */
/*
 * coexec explain --recorded: analyses recorded programs anew and judges each recorded launch as the layer
 * would (layer/access/access.h), by the numbers it had.
 */
#include "tools/coexec.h"
#include "tools/coexec_json.h"
#include "tools/coexec_recorded.h"
#include "layer/access/access.h"
#include "layer/source/analyser.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char me[] = "explain";

enum { MAX_REASONS = 6, MAX_WORDS = 12 };

/* What the launches of one kernel came to. */
struct tally {
    size_t launches, single, split, writes, reads; /* single: of one work-group; the others are not */
    unsigned *ways; /* one an argument: bits of the ways it was kept right by */
    size_t nreasons;
    struct reason {
        char text[256];
        size_t launches;
    } reason[MAX_REASONS];
};

struct totals {
    size_t kernels, single, split, some, writes, reads; /* of kernels; single stands apart from the others */
    size_t launches, split_launches;
    size_t nreasons;
    struct cause {
        char *text;
        size_t kernels;
    } *cause;
};

/* ---- one launch ---- */

struct numbers {
    struct cx_access_geometry geometry;
    struct cx_access_arg *arg;
    unsigned char **value;
    size_t nargs;
    uint64_t groups;
};

static void numbers_finish(struct numbers *n)
{
    for (size_t i = 0; n->value && i < n->nargs; i++)
        free(n->value[i]);
    free(n->value);
    free(n->arg);
}

static unsigned char *bytes_of(const char *hex, size_t *size)
{
    unsigned char *bytes = malloc(strlen(hex) / 2 + 1);
    *size = strlen(hex) / 2;
    for (size_t i = 0; bytes && i < *size; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return bytes;
}

static void read_image(struct json_object *image, struct cx_access_arg *arg)
{
    struct json_object *size = cx_json_get(image, "size"), *pitch = cx_json_get(image, "pitch");
    arg->is_image = true;
    arg->image =
        (struct cx_access_image){.width = json_object_get_uint64(json_object_array_get_idx(size, 0)),
                                 .height = json_object_get_uint64(json_object_array_get_idx(size, 1)),
                                 .depth = json_object_get_uint64(json_object_array_get_idx(size, 2)),
                                 .array_size = cx_json_count(image, "layers", 0),
                                 .row_pitch = json_object_get_uint64(json_object_array_get_idx(pitch, 0)),
                                 .slice_pitch = json_object_get_uint64(json_object_array_get_idx(pitch, 1)),
                                 .element_size = (uint32_t)cx_json_count(image, "texel", 0),
                                 .channel_order = (uint32_t)cx_json_count(image, "order", 0),
                                 .channel_type = (uint32_t)cx_json_count(image, "type", 0)};
}

/* The launch's numbers, room for nargs arguments. False: no memory. */
static bool read_numbers(struct json_object *launch, size_t nargs, struct numbers *n)
{
    struct json_object *args = cx_json_get(launch, "args");
    *n = (struct numbers){.geometry.work_dim = (uint32_t)json_object_get_int(cx_json_get(launch, "dims")),
                          .nargs = nargs,
                          .groups = 1};
    for (unsigned d = 0; d < n->geometry.work_dim; d++) {
        uint64_t local = json_object_get_uint64(json_object_array_get_idx(cx_json_get(launch, "local"), d));
        n->geometry.local[d] = local ? local : 1;
        n->geometry.global[d] =
            json_object_get_uint64(json_object_array_get_idx(cx_json_get(launch, "global"), d));
        n->geometry.offset[d] =
            json_object_get_uint64(json_object_array_get_idx(cx_json_get(launch, "offset"), d));
        n->groups *=
            n->geometry.global[d] / n->geometry.local[d] + (n->geometry.global[d] % n->geometry.local[d] > 0);
    }
    n->arg = calloc(nargs + 1, sizeof(*n->arg));
    n->value = calloc(nargs + 1, sizeof(*n->value));
    for (size_t i = 0; n->arg && n->value && i < nargs; i++) {
        struct json_object *arg = json_object_array_get_idx(args, i), *field = NULL;
        if (json_object_object_get_ex(arg, "value", &field)) {
            n->arg[i].value = n->value[i] = bytes_of(json_object_get_string(field), &n->arg[i].size);
        } else if (json_object_object_get_ex(arg, "object", &field)) {
            n->arg[i].object = json_object_get_uint64(field) + 1;
            n->arg[i].base = cx_json_count(arg, "offset", 0);
            n->arg[i].bytes = cx_json_count(arg, "bytes", 0);
            if (json_object_object_get_ex(arg, "image", &field))
                read_image(field, &n->arg[i]);
        }
    }
    return n->arg && n->value;
}

static void because(char *text, size_t room, const struct cx_summary_kernel *kernel, const char *reason,
                    const struct cx_access_verdict *verdict)
{
    char name[80] = "", where[256];
    if (verdict->arg >= 0 && (uint32_t)verdict->arg < kernel->narg)
        snprintf(name, sizeof(name), ", %s", kernel->arg[verdict->arg].name);
    cx_summary_lines_text(where, sizeof(where), kernel, verdict->line, verdict->other, NULL);
    snprintf(text, room, "%s%s%s", reason, name, where);
}

static void count_reason(struct tally *tally, const char *text)
{
    size_t i = 0;
    while (i < tally->nreasons && strcmp(tally->reason[i].text, text) != 0)
        i++;
    if (i == MAX_REASONS)
        return;
    tally->nreasons += i == tally->nreasons;
    snprintf(tally->reason[i].text, sizeof(tally->reason[i].text), "%s", text);
    tally->reason[i].launches++;
}

/* Whether all that the launch writes (reads) is known beforehand. */
static void look_at_regions(const struct cx_summary_kernel *kernel, struct cx_access *access, bool *writes,
                            bool *reads)
{
    struct cx_access_region *region = calloc(kernel->narg + 1u, sizeof(*region));
    *writes = *reads = region && access;
    if (*writes)
        cx_access_whole(access, region);
    for (uint32_t i = 0; *writes + *reads && i < kernel->narg; i++) {
        *writes &= region[i].write.known || region[i].write.lo == region[i].write.hi;
        *reads &= region[i].read.known || region[i].read.lo == region[i].read.hi;
    }
    free(region);
}

/* Whether nothing but an atomic's order forbids the split, and all is apart. */
static bool judge_ordered(const struct cx_summary_kernel *kernel, const struct numbers *n,
                          struct cx_access **access, struct cx_access_verdict *verdict)
{
    struct cx_access_verdict own;
    struct cx_access *found;
    const bool apart = cx_access_choose_checked(kernel, &n->geometry, n->arg, &found, &own) && own.separable;
    if (apart) {
        cx_access_destroy(access);
        *access = found;
        *verdict = own;
    } else {
        cx_access_destroy(&found);
    }
    return apart;
}

/* Text: why it does not split, or "" where it does. */
static void judge(const struct cx_summary_kernel *kernel, struct json_object *launch, struct tally *tally,
                  char *text, size_t room)
{
    size_t nargs = json_object_array_length(cx_json_get(launch, "args"));
    struct cx_access_verdict verdict = {.arg = -1};
    struct cx_access *access = NULL;
    struct numbers n = {0};
    bool writes, reads;

    text[0] = 0;
    tally->launches++;
    if (nargs != kernel->narg && !(kernel->flags & CX_SUMMARY_OPAQUE)) {
        snprintf(text, room, "driver and analysis disagree on the kernel's arguments");
    } else if (!read_numbers(launch, nargs, &n)) {
        snprintf(text, room, "out of memory");
    } else {
        tally->single += n.groups <= 1;
        enum cx_summary_reason reason = cx_summary_forbids(kernel, &verdict.line, &verdict.arg);
        if (reason == CX_REASON_NONE || !(kernel->flags & CX_SUMMARY_OPAQUE))
            cx_access_choose(kernel, &n.geometry, n.arg, &access, &verdict);
        bool splits = reason == CX_REASON_NONE && (verdict.splits || verdict.separable);
        splits = splits || judge_ordered(kernel, &n, &access, &verdict);
        look_at_regions(kernel, access, &writes, &reads);
        if (n.groups > 1) {
            tally->split += splits;
            tally->writes += writes;
            tally->reads += reads;
        }
        if (!splits && reason != CX_REASON_NONE)
            cx_summary_forbids(kernel, &verdict.line, &verdict.arg);
        if (!splits)
            because(text, room, kernel, cx_summary_reason_text(reason ? reason : verdict.reason), &verdict);
        const struct cx_access_means *means = splits && access ? cx_access_means(access) : NULL;
        for (uint32_t i = 0; means && i < kernel->narg; i++)
            tally->ways[i] |= 1u << means[i].protocol;
    }
    if (*text && n.groups != 1)
        count_reason(tally, text);
    cx_access_destroy(&access);
    numbers_finish(&n);
}

/* ---- text ---- */

static void print_launch(struct json_object *launch, const char *verdict)
{
    printf("      %s x %s%s: %s\n", json_object_to_json_string(cx_json_get(launch, "global")),
           json_object_to_json_string(cx_json_get(launch, "local")),
           json_object_get_boolean(cx_json_get(launch, "local_given")) ? "" : " (chosen)",
           *verdict ? verdict : "splits");
}

static void print_ways(const struct cx_summary_kernel *kernel, const struct tally *tally)
{
    static const char *const names[] = {"", "own", "merge", "private"};
    const char *separator = "      ";
    for (unsigned way = CX_PROTOCOL_EXCLUSIVE; way <= CX_PROTOCOL_REDUCTION; way++)
        for (uint32_t i = 0; i < kernel->narg; i++)
            if (tally->ways[i] & 1u << way) {
                printf("%s%s %s", separator, kernel->arg[i].name[0] ? kernel->arg[i].name : "argument",
                       names[way]);
                separator = ", ";
            }
    if (separator[0] == ',')
        putchar('\n');
}

static const char *all_or(size_t count, size_t of)
{
    return count == of ? "all" : count ? "some" : "none";
}

static void print_kernel(const char *name, const struct cx_summary_kernel *kernel, const struct tally *tally)
{
    size_t many = tally->launches - tally->single;
    printf("    %-32s %6zu launches", name, tally->launches);
    if (tally->single)
        printf(", %zu of one work-group", tally->single);
    if (many)
        printf("; splits: %s, writes known: %s, reads known: %s", all_or(tally->split, many),
               all_or(tally->writes, many), all_or(tally->reads, many));
    putchar('\n');
    if (kernel)
        print_ways(kernel, tally);
    for (size_t i = 0; i < tally->nreasons; i++)
        printf("      whole, %zu launches: %s\n", tally->reason[i].launches, tally->reason[i].text);
}

/* ---- kernels and programs ---- */

static void count_cause(struct totals *totals, const char *text)
{
    size_t i = 0;
    while (i < totals->nreasons && strcmp(totals->cause[i].text, text) != 0)
        i++;
    if (i == totals->nreasons) {
        struct cause *more = reallocarray(totals->cause, i + 1, sizeof(*more));
        char *copy = strdup(text);
        if (more)
            totals->cause = more;
        if (!more || !copy) {
            free(copy);
            return;
        }
        totals->cause[totals->nreasons++] = (struct cause){copy, 0};
    }
    totals->cause[i].kernels++;
}

static void add_up(struct totals *totals, const struct tally *tally)
{
    size_t many = tally->launches - tally->single;
    if (!many) {
        totals->single++;
        return;
    }
    totals->kernels++;
    totals->launches += many;
    totals->split_launches += tally->split;
    totals->split += tally->split == many;
    totals->some += tally->split && tally->split < many;
    totals->writes += tally->writes == many;
    totals->reads += tally->reads == many;
    if (tally->split < many && tally->nreasons) {
        char reason[256]; /* without argument and line, so that kernels share it */
        snprintf(reason, sizeof(reason), "%s", tally->reason[0].text);
        reason[strcspn(reason, ",(")] = 0;
        size_t end = strlen(reason);
        while (end && reason[end - 1] == ' ')
            reason[--end] = 0;
        count_cause(totals, reason);
    }
}

static void judge_kernel(const struct cx_recorded_kernel *recorded, const struct cx_summary_kernel *kernel,
                         const char *why, bool list, struct totals *totals)
{
    struct tally tally = {.ways = calloc(kernel ? kernel->narg + 1u : 1, sizeof(unsigned))};
    char *verdict = calloc(recorded->nlaunches + 1, 256);
    for (size_t i = 0; tally.ways && verdict && i < recorded->nlaunches; i++) {
        char *text = verdict + 256 * i;
        if (kernel) {
            judge(kernel, recorded->launch[i], &tally, text, 256);
        } else {
            struct numbers n;
            tally.launches++;
            tally.single += read_numbers(recorded->launch[i], 0, &n) && n.groups <= 1;
            numbers_finish(&n);
            snprintf(text, 256, "%s", why);
            count_reason(&tally, text);
        }
    }
    print_kernel(recorded->name, kernel, &tally);
    for (size_t i = 0; list && verdict && i < recorded->nlaunches; i++)
        print_launch(recorded->launch[i], verdict + 256 * i);
    add_up(totals, &tally);
    free(verdict);
    free(tally.ways);
}

static char *read_source(const char *folder, const char *name)
{
    char *path = NULL, *text = NULL;
    size_t used = 0, got;
    FILE *file = asprintf(&path, "%s/%s", folder, name) >= 0 ? fopen(path, "re") : NULL;
    for (size_t room = 0; file; used += got) {
        if (used + 1 >= room) {
            char *more = realloc(text, room = room ? 2 * room : 65536);
            if (!more)
                break;
            text = more;
        }
        got = fread(text + used, 1, room - used - 1, file);
        if (!got)
            break;
    }
    if (text)
        text[used] = 0;
    if (file)
        fclose(file);
    free(path);
    return text;
}

/* The program's summary; result->why says why there is none. */
static void analyse(const char *folder, const char *analyser, const struct cx_recorded_program *program,
                    struct cx_analyser_result *result)
{
    struct cx_macro_identity identity = {.extensions = program->extensions};
    struct cx_subprocess helper = {0};
    char *source = read_source(folder, program->source);
    if (!source) {
        snprintf(result->why, sizeof(result->why), "its source is not in the folder");
        return;
    }
    for (size_t i = 0; i < program->ndefines && i < CX_MACRO_IDENTITY_DEFINES; i++)
        snprintf(identity.define[identity.ndefines++], sizeof(identity.define[0]), "%s", program->define[i]);
    const struct cx_analyser_task task = {.analyser = analyser,
                                          .source = source,
                                          .options = program->options,
                                          .identity = &identity,
                                          .replies = program->replies};
    if (!cx_analyser_cached(&task, result))
        cx_analyser_run(&task, &helper, result);
    if (!result->summary && !result->why[0])
        snprintf(result->why, sizeof(result->why),
                 "its text depends on macros of a compiler that was not asked");
    free(source);
}

static void explain_program(const char *folder, const char *analyser,
                            const struct cx_recorded_program *program, bool list, struct totals *totals)
{
    struct cx_analyser_result *result = calloc(1, sizeof(*result));
    if (!result || program->nkernels == 0) {
        free(result);
        return;
    }
    analyse(folder, analyser, program, result);
    printf("%.12s.cl%s%s\n", program->source, *program->options ? " " : "", program->options);
    for (size_t k = 0; k < program->nkernels; k++) {
        const struct cx_summary_kernel *kernel =
            result->summary ? cx_summary_find(result->summary, program->kernel[k].name) : NULL;
        judge_kernel(&program->kernel[k], kernel,
                     result->summary ? "the analysis does not know the kernel" : result->why, list, totals);
    }
    cx_analyser_result_finish(result);
    free(result);
}

static int by_kernels(const void *a, const void *b)
{
    const struct cause *one = a, *other = b;
    return (one->kernels < other->kernels) - (one->kernels > other->kernels);
}

static void print_share(const char *what, size_t count, size_t of)
{
    printf("  %-22s%6zu  %5.1f %%\n", what, count, of ? 100.0 * (double)count / (double)of : 0.0);
}

static void print_totals(const struct cx_recording *recording, struct totals *totals)
{
    printf("\n%zu kernels with more than one work-group, in %zu launches; %zu kernels that only ever ran a "
           "single "
           "one\n",
           totals->kernels, totals->launches, totals->single);
    print_share("split in every launch", totals->split, totals->kernels);
    print_share("split in some", totals->some, totals->kernels);
    print_share("writes known", totals->writes, totals->kernels);
    print_share("reads known", totals->reads, totals->kernels);
    print_share("launches that split", totals->split_launches, totals->launches);
    if (totals->nreasons) {
        qsort(totals->cause, totals->nreasons, sizeof(*totals->cause), by_kernels);
        puts("why kernels run whole");
    }
    for (size_t i = 0; i < totals->nreasons; i++) {
        printf("  %6zu  %s\n", totals->cause[i].kernels, totals->cause[i].text);
        free(totals->cause[i].text);
    }
    free(totals->cause);
    if (recording->full)
        printf("%zu processes launched more than was recorded\n", recording->full);
}

int cx_explain_recorded(const char *folder, int list)
{
    struct cx_recording recording;
    struct totals totals = {0};
    const char *problem = NULL;
    char *analyser = cx_find_analyser();
    if (!analyser)
        return cx_tool_error(me, "out of memory");
    if (!cx_recording_read(folder, &recording, &problem)) {
        free(analyser);
        return cx_tool_error(me, "%s: %s", folder, problem);
    }
    for (size_t p = 0; p < recording.nprograms; p++)
        explain_program(folder, analyser, recording.program[p], list, &totals);
    print_totals(&recording, &totals);
    if (recording.textless)
        fprintf(stderr, "coexec explain: %zu launches of programs without a text are left out\n",
                recording.textless);
    if (recording.damaged)
        fprintf(stderr, "coexec explain: %zu damaged lines are left out\n", recording.damaged);
    cx_recording_finish(&recording);
    free(analyser);
    return fflush(stdout) == 0 ? CX_EXIT_OK : CX_EXIT_FAILED;
}
