/* SPDX-License-Identifier: MIT */
/*
 * Text for people. Whether a launch splits, and how, depends on its numbers; without them a trial launch of
 * ordinary shape stands in (explain_trial.h). So what is said of places is that they can be expressed, not
 * that they are known.
 *
 * Previous stage: layer/access/summary.h; layer/access/access.h judges the trial launch.
 */
#include "layer/access/explain.h"
#include "layer/access/explain_image.h"
#include "layer/access/explain_trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A kernel with the verdict on its trial launch. */
struct story {
    FILE *out;
    const struct cx_summary_kernel *k;
    const char *file;
    struct cx_access *access; /* NULL: not even that could be made */
    struct cx_access_verdict verdict;
    enum cx_summary_reason unchecked; /* why it is not checked afterwards either; NONE: that is not asked */
    struct cx_access_region *region;  /* an argument each, of the whole launch; NULL where access is */
    uint64_t local;
};

static const char *const kind_names[] = {
    [CX_ARG_OTHER] = "other", [CX_ARG_GLOBAL] = "global", [CX_ARG_CONSTANT] = "constant",
    [CX_ARG_LOCAL] = "local", [CX_ARG_VALUE] = "value",   [CX_ARG_IMAGE] = "image"};

static const char *arg_name(const struct cx_summary_kernel *k, uint32_t i, char *buf, size_t size)
{
    if (k->arg[i].name[0]) {
        return k->arg[i].name;
    }
    snprintf(buf, size, "argument %" PRIu32, i);
    return buf;
}

/* file: the program's own */
static void print_line(FILE *out, const struct cx_summary_kernel *k, const char *file, uint32_t line)
{
    char text[1024];

    cx_summary_line_text(text, sizeof(text), k, line, file);
    fputs(text, out);
}

static void print_uses(FILE *out, uint32_t uses)
{
    static const struct {
        uint32_t use;
        const char *name;
    } names[] = {
        {CX_USE_GROUP_ID, "get_group_id"},
        {CX_USE_NUM_GROUPS, "get_num_groups"},
        {CX_USE_GLOBAL_SIZE, "get_global_size"},
        {CX_USE_GLOBAL_OFFSET, "get_global_offset"},
        {CX_USE_GLOBAL_LINEAR_ID, "get_global_linear_id"},
        {CX_USE_WORK_DIM, "get_work_dim"},
    };
    const char *separator = "  rewritten for packages: ";

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (uses & names[i].use) {
            fprintf(out, "%s%s", separator, names[i].name);
            separator = ", ";
        }
    }
    if (uses & CX_USE_NEEDS_REWRITE) {
        fputc('\n', out);
    }
}

static const char *const pred_names[CX_PRED_COUNT] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};

/* Those of an access without what goes without saying. */
static void print_guard_list(FILE *out, const struct cx_summary_kernel *k, uint32_t first, uint32_t count,
                             const char *separator, const struct cx_access_record *of)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct cx_guard *g = &k->guard[first + i];
        char l[160], rhs[160];
        if (g->hint || (of && cx_explain_is_inside(k, of, g))) {
            continue;
        }
        cx_explain_expr(l, sizeof(l), k, g->l);
        cx_explain_expr(rhs, sizeof(rhs), k, g->r);
        fprintf(out, "%s%s %s %s", separator, l, pred_names[g->pred], rhs);
        separator = " and ";
    }
}

static void print_loops(const struct story *s)
{
    for (uint32_t i = 0; i < s->k->nloop; i++) {
        const struct cx_loop *l = &s->k->loop[i];
        fprintf(s->out, "  loop%" PRIu32, i);
        print_line(s->out, s->k, s->file, l->line);
        print_guard_list(s->out, s->k, l->guard, l->nguard, l->single_exit ? ": while " : ": at most while ",
                         NULL);
        fputs(l->nguard ? "\n" : ": no bound followed\n", s->out);
    }
}

static const char *const opaque_names[CX_OPAQUE_COUNT + 1] = {
    [CX_OPAQUE_OTHER] = "a value not followed",
    [CX_OPAQUE_LOADED] = "a value read from memory",
    [CX_OPAQUE_CONSTANT] = "a value read from constant memory",
    [CX_OPAQUE_LOCAL] = "a value read from local memory",
    [CX_OPAQUE_PRIVATE] = "a value read from private memory",
    [CX_OPAQUE_FLOAT] = "a floating-point value",
    [CX_OPAQUE_CALL] = "a function's result",
    [CX_OPAQUE_LOOP] = "a value that changes in a loop",
    [CX_OPAQUE_BOOL] = "a comparison's result",
    [CX_OPAQUE_COUNT] = "",
};

static void print_access(FILE *out, const struct cx_summary_kernel *k, const struct cx_access_record *r,
                         const char *file)
{
    static const char *const modes[CX_MODE_COUNT] = {"read", "write", "atomic"};
    char text[400];
    enum cx_opaque why = r->off >= 0 ? cx_summary_opaque(k, r->off) : CX_OPAQUE_OTHER;

    fprintf(out, "    %-6s", modes[r->mode]);
    if (k->arg[r->arg].kind == CX_ARG_IMAGE && cx_explain_texel(text, sizeof(text), k, r)) {
        fputs(text, out);
        if (why != CX_OPAQUE_COUNT) {
            fprintf(out, ", place from %s", opaque_names[why]);
        }
    } else if (r->off < 0) {
        fputs("anywhere (address not followed)", out);
    } else {
        cx_explain_expr(text, sizeof(text), k, r->off);
        if (strcmp(text, "0") == 0) {
            fprintf(out, "[%" PRId64 "]", r->skew);
        } else if (r->skew) {
            fprintf(out, "[%s %c %" PRIu64 "]", text, r->skew < 0 ? '-' : '+',
                    r->skew < 0 ? 0 - (uint64_t)r->skew : (uint64_t)r->skew);
        } else {
            fprintf(out, "[%s]", text);
        }
        if (r->len >= 0) {
            cx_explain_expr(text, sizeof(text), k, r->len);
            fprintf(out, ", %s bytes", text);
        } else {
            fprintf(out, ", %" PRIu64 " bytes", r->size);
        }
        if (why != CX_OPAQUE_COUNT) {
            fprintf(out, ", index from %s", opaque_names[why]);
        }
    }
    print_guard_list(out, k, r->guard, r->nguard, ", if ", r);
    print_line(out, k, file, r->line);
    fputc('\n', out);
}

/* By how much of it depends on what is not known before the launch. */
static bool is_expressible(const struct story *s, uint32_t arg, bool write)
{
    if (s->region) {
        return write ? s->region[arg].write.known : s->region[arg].read.known;
    }
    for (uint32_t i = 0; i < s->k->naccess; i++) {
        const struct cx_access_record *r = &s->k->access[i];
        bool counts = write ? r->mode != CX_MODE_READ : r->mode != CX_MODE_WRITE;
        if (r->arg == arg && counts && (r->off < 0 || cx_summary_opaque(s->k, r->off) != CX_OPAQUE_COUNT)) {
            return false;
        }
    }
    return true;
}

static void print_why(const struct story *s, const struct cx_access_means *means)
{
    fprintf(s->out, ", because %s",
            means->why != CX_REASON_NONE ? cx_summary_reason_text(means->why)
                                         : "it is not known where it writes");
    print_line(s->out, s->k, s->file, means->line);
}

/* How what is written through an argument is kept right. */
static void print_way(const struct story *s, uint32_t arg)
{
    static const char *const families[CX_ATOMIC_COUNT] = {[CX_ATOMIC_ADD] = "sums",
                                                          [CX_ATOMIC_MIN] = "minima",
                                                          [CX_ATOMIC_MAX] = "maxima",
                                                          [CX_ATOMIC_UMIN] = "minima",
                                                          [CX_ATOMIC_UMAX] = "maxima",
                                                          [CX_ATOMIC_AND] = "bits (and)",
                                                          [CX_ATOMIC_OR] = "bits (or)",
                                                          [CX_ATOMIC_XOR] = "bits (xor)",
                                                          [CX_ATOMIC_FADD] = "floating-point sums"};
    const struct cx_access_means *means;

    if (!s->access || !s->verdict.splits) {
        fputs(" whole on one device", s->out);
        return;
    }
    means = &cx_access_means(s->access)[arg];
    switch ((enum cx_write_protocol)means->protocol) {
    case CX_PROTOCOL_EXCLUSIVE:
        fputs(" changes owner", s->out);
        if (means->before) {
            fputs(", its old contents everywhere, because ", s->out);
            fputs(cx_summary_reason_text(CX_REASON_READ_OVERLAP), s->out);
        }
        break;
    case CX_PROTOCOL_MERGE:
        fprintf(s->out, " merged afterwards by units of %u bytes", means->width);
        print_why(s, means);
        break;
    case CX_PROTOCOL_CHECKED:
        fputs(" a copy for each device, compared afterwards", s->out);
        print_why(s, means);
        break;
    case CX_PROTOCOL_REDUCTION:
        fprintf(s->out, " private copies, combined as %s",
                families[means->atomic_op] ? families[means->atomic_op] : "");
        print_why(s, means);
        break;
    default:
        fputs(" nothing is written in this launch", s->out);
        break;
    }
}

static void print_regions(const struct story *s, uint32_t arg)
{
    uint8_t touch = s->k->arg[arg].touch;
    const char *what = s->k->arg[arg].kind == CX_ARG_IMAGE ? "texels" : "bytes";

    if (touch & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC)) {
        fprintf(s->out, "; %s written: %s", what,
                is_expressible(s, arg, true) ? "expressible" : "not expressible");
    }
    if (touch & CX_TOUCH_READ && !(touch & CX_TOUCH_ATOMIC)) {
        fprintf(s->out, "; %s read: %s", what,
                is_expressible(s, arg, false) ? "expressible" : "not expressible");
    }
}

static void print_arg(const struct story *s, uint32_t i)
{
    const struct cx_summary_kernel *k = s->k;
    const struct cx_summary_arg *arg = &k->arg[i];
    char name[32];

    if (arg->kind == CX_ARG_VALUE || arg->kind == CX_ARG_LOCAL || arg->kind == CX_ARG_OTHER) {
        return;
    }
    fprintf(s->out, "  %s (%s %s):", arg_name(k, i, name, sizeof(name)), kind_names[arg->kind],
            arg->type[0] ? arg->type : "pointer");
    if (k->flags & CX_SUMMARY_OPAQUE) {
        fputs(" not analysed\n", s->out);
        return;
    }
    if (!arg->touch) {
        fputs(" not used\n", s->out);
        return;
    }
    if (arg->touch & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC)) {
        print_way(s, i);
    } else {
        fputs(" only read", s->out);
    }
    print_regions(s, i);
    fputc('\n', s->out);
    for (uint32_t j = 0; j < k->naccess; j++) {
        if (k->access[j].arg == i) {
            print_access(s->out, k, &k->access[j], s->file);
        }
    }
}

static void print_culprit(const struct story *s)
{
    const struct cx_access_verdict *v = &s->verdict;
    char name[32], text[1024];

    fputs(cx_summary_reason_text(v->reason), s->out);
    if (v->arg >= 0) {
        fprintf(s->out, ", %s", arg_name(s->k, (uint32_t)v->arg, name, sizeof(name)));
    }
    cx_summary_lines_text(text, sizeof(text), s->k, v->line, v->other, s->file);
    fputs(text, s->out);
}

static void print_verdict(const struct story *s)
{
    const struct cx_access_verdict *v = &s->verdict;

    if (!v->splits) {
        fputs("does not split: ", s->out);
        print_culprit(s);
        if (s->unchecked != CX_REASON_NONE) {
            fprintf(s->out, "\n  nor is it split first and checked afterwards: %s",
                    cx_summary_reason_text(s->unchecked));
        }
        return;
    }
    fprintf(s->out, "%s along dimension %u", v->checked ? "splits, and is checked afterwards," : "splits",
            v->dim);
    if (v->granularity > 1) {
        fprintf(s->out, ", %" PRIu64 " work-groups at a time", v->granularity);
    }
    if (s->local > 0) {
        fprintf(s->out, ", with work-groups of %" PRIu64 " in each dimension", s->local);
    }
    if (!v->separable) {
        fputs(", though ", s->out);
        print_culprit(s);
    }
}

static void print_notes(const struct story *s)
{
    const struct cx_summary_kernel *k = s->k;
    char name[32];

    if (k->flags & CX_SUMMARY_ONE_MODEL) {
        fputs("  note: it has inline assembly: only devices of the fastest one's driver and model run it\n",
              s->out);
    }
    for (uint32_t i = 0; i < k->nnote; i++) {
        fprintf(s->out, "  note: %s", cx_summary_reason_text((enum cx_summary_reason)k->note[i].reason));
        if (k->note[i].arg >= 0) {
            fprintf(s->out, ", %s", arg_name(k, (uint32_t)k->note[i].arg, name, sizeof(name)));
        }
        print_line(s->out, s->k, s->file, k->note[i].line);
        fputc('\n', s->out);
    }
}

/* Where it does not split, it may be split first and checked afterwards. */
static void judge_checked(struct story *s)
{
    struct cx_access *access;
    struct cx_access_verdict verdict;
    uint64_t local;

    cx_explain_try(s->k, true, &access, &verdict, &local);
    if (access && verdict.splits) {
        cx_access_destroy(&s->access);
        s->access = access;
        s->local = local;
        s->verdict = verdict;
        if (verdict.checked && verdict.reason == CX_REASON_NONE) {
            s->verdict.reason = cx_summary_forbids(s->k, &s->verdict.line, &s->verdict.arg);
        }
        return;
    }
    if (verdict.reason >= CX_REASON_CHECK_LOOP) {
        s->unchecked = verdict.reason;
    }
    cx_access_destroy(&access);
}

static void judge(struct story *s)
{
    cx_explain_try(s->k, false, &s->access, &s->verdict, &s->local);
    if (cx_summary_forbids(s->k, NULL, NULL) != CX_REASON_NONE) {
        s->verdict = (struct cx_access_verdict){.arg = -1};
        s->verdict.reason = cx_summary_forbids(s->k, &s->verdict.line, &s->verdict.arg);
    }
    if (!s->verdict.splits) {
        judge_checked(s);
    }
    s->region = s->access ? calloc(s->k->narg + 1, sizeof(*s->region)) : NULL;
    if (s->region) {
        cx_access_whole(s->access, s->region);
    }
}

/* One kernel: several lines, each ended by a newline. file names the source in front of line numbers, may be
 * NULL. */
static void explain_kernel(FILE *out, const struct cx_summary_kernel *k, const char *file)
{
    struct story s = {.out = out, .k = k, .file = file};

    judge(&s);
    fprintf(out, "kernel %s", k->name);
    print_line(out, k, file, k->line);
    fputs("\n  ", out);
    print_verdict(&s);
    fputc('\n', out);
    print_notes(&s);
    print_uses(out, k->flags & CX_SUMMARY_OPAQUE ? 0 : k->uses);
    print_loops(&s);
    for (uint32_t i = 0; i < k->narg; i++) {
        print_arg(&s, i);
    }
    free(s.region);
    cx_access_destroy(&s.access);
}

void cx_explain_summary(FILE *out, const struct cx_summary *summary, const char *file)
{
    for (uint32_t i = 0; i < summary->nkernel; i++) {
        fputs(i ? "\n" : "", out);
        explain_kernel(out, &summary->kernel[i], file);
    }
}
