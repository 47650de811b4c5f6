/* SPDX-License-Identifier: MIT */
/*
 * Text for people. Whether a launch is separable depends on its numbers; without them a trial launch of
 * ordinary shape stands in: many groups, every integer argument as large as the range along dimension 0.
 *
 * Previous stage: layer/summary.h; layer/access.h judges the trial launch.
 */
#include "layer/explain.h"
#include "layer/access.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *buf;
    size_t size, used;
    unsigned depth;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->buf + t->used, t->size - t->used, format, args);
    va_end(args);
    if (n > 0) {
        t->used += (size_t)n < t->size - t->used ? (size_t)n : t->size - t->used - 1;
    }
}

static bool is_full(const struct text *t)
{
    return t->used + 1 >= t->size;
}

static const char *operator_of(enum cx_expr_op op)
{
    switch (op) {
    case CX_EXPR_ADD:
        return "+";
    case CX_EXPR_SUB:
        return "-";
    case CX_EXPR_MUL:
        return "*";
    case CX_EXPR_UDIV:
    case CX_EXPR_SDIV:
        return "/";
    case CX_EXPR_UREM:
    case CX_EXPR_SREM:
        return "%";
    case CX_EXPR_SHL:
        return "<<";
    case CX_EXPR_LSHR:
    case CX_EXPR_ASHR:
        return ">>";
    case CX_EXPR_AND:
        return "&";
    case CX_EXPR_OR:
        return "|";
    case CX_EXPR_XOR:
        return "^";
    default:
        return NULL;
    }
}

static const char *function_of(enum cx_expr_op op)
{
    switch (op) {
    case CX_EXPR_SMIN:
    case CX_EXPR_UMIN:
        return "min";
    case CX_EXPR_SMAX:
    case CX_EXPR_UMAX:
        return "max";
    case CX_EXPR_ABS:
        return "abs";
    case CX_EXPR_UNION:
        return "either";
    case CX_EXPR_SMUL24:
    case CX_EXPR_UMUL24:
        return "mul24";
    default:
        return NULL;
    }
}

static const char *work_item_of(enum cx_expr_op op)
{
    static const char *const names[] = {
        [CX_EXPR_GLOBAL_ID] = "gid",         [CX_EXPR_LOCAL_ID] = "lid",
        [CX_EXPR_GROUP_ID] = "group",        [CX_EXPR_GLOBAL_SIZE] = "global_size",
        [CX_EXPR_LOCAL_SIZE] = "local_size", [CX_EXPR_ENQ_LOCAL_SIZE] = "enqueued_local_size",
        [CX_EXPR_NUM_GROUPS] = "num_groups", [CX_EXPR_GLOBAL_OFFSET] = "global_offset",
    };

    return op >= CX_EXPR_GLOBAL_ID && op <= CX_EXPR_GLOBAL_OFFSET ? names[op] : NULL;
}

static void print(struct text *t, const struct cx_summary_kernel *k, int32_t node, int level);

static void print_leaf(struct text *t, const struct cx_summary_kernel *k, const struct cx_expr *e)
{
    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_CONST:
        put(t, "%" PRId64, e->imm);
        break;
    case CX_EXPR_ARG:
        if (k->arg[e->a].name[0]) {
            put(t, "%s", k->arg[e->a].name);
        } else {
            put(t, "arg%d", e->a);
        }
        if (k->arg[e->a].size != e->width / 8u) {
            put(t, ".%" PRId64, e->imm);
        }
        break;
    case CX_EXPR_WORK_DIM:
        put(t, "work_dim");
        break;
    case CX_EXPR_OPAQUE:
        put(t, "?");
        break;
    default:
        put(t, "%s(%d)", work_item_of(e->op), e->a);
    }
}

static int level_of(enum cx_expr_op op)
{
    switch (op) {
    case CX_EXPR_MUL:
    case CX_EXPR_UDIV:
    case CX_EXPR_SDIV:
    case CX_EXPR_UREM:
    case CX_EXPR_SREM:
        return 3;
    case CX_EXPR_ADD:
    case CX_EXPR_SUB:
        return 2;
    default:
        return 1;
    }
}

static void print_binary(struct text *t, const struct cx_summary_kernel *k, const struct cx_expr *e,
                         int level)
{
    int own = level_of(e->op);
    const struct cx_expr *b = &k->expr[e->b];
    bool parentheses = own < level || (own == 1 && level > 0);

    put(t, parentheses ? "(" : "");
    if (e->op == CX_EXPR_MUL && b->op == CX_EXPR_CONST) { /* 4 * gid(0) reads better than gid(0) * 4 */
        print(t, k, e->b, own);
        put(t, " * ");
        print(t, k, e->a, own + 1);
    } else if (e->op == CX_EXPR_ADD && b->op == CX_EXPR_CONST && b->imm < 0) {
        print(t, k, e->a, own);
        put(t, " - %" PRIu64, 0 - (uint64_t)b->imm);
    } else {
        print(t, k, e->a, own);
        put(t, " %s ", operator_of(e->op));
        print(t, k, e->b, own + 1);
    }
    put(t, parentheses ? ")" : "");
}

static void print_loop(struct text *t, const struct cx_summary_kernel *k, const struct cx_expr *e, int level)
{
    const struct cx_expr *start = &k->expr[e->a], *step = &k->expr[e->b];
    bool simple = start->op == CX_EXPR_CONST && start->imm == 0;

    put(t, level > 2 && !simple ? "(" : "");
    if (!simple) {
        print(t, k, e->a, 2);
        put(t, " + ");
    }
    if (step->op != CX_EXPR_CONST || step->imm != 1) {
        print(t, k, e->b, 4);
        put(t, " * ");
    }
    put(t, "loop%" PRId64, e->imm);
    put(t, level > 2 && !simple ? ")" : "");
}

static void print(struct text *t, const struct cx_summary_kernel *k, int32_t node, int level)
{
    const struct cx_expr *e = &k->expr[node];
    const char *function = function_of(e->op);

    if (is_full(t) || ++t->depth > 100) {
        t->used = t->size - 1;
        return;
    }
    if (operator_of(e->op)) {
        print_binary(t, k, e, level);
    } else if (function) {
        put(t, "%s(", function);
        print(t, k, e->a, 0);
        if (cx_expr_operands(e->op) > 1) {
            put(t, ", ");
            print(t, k, e->b, 0);
        }
        put(t, ")");
    } else if (e->op == CX_EXPR_SEXT || e->op == CX_EXPR_ZEXT || e->op == CX_EXPR_TRUNC) {
        print(t, k, e->a, level); /* widths matter to the evaluation, not to a reader */
    } else if (e->op == CX_EXPR_LOOP) {
        print_loop(t, k, e, level);
    } else if (e->op == CX_EXPR_DECAY || e->op == CX_EXPR_RANGE) {
        put(t, e->op == CX_EXPR_DECAY ? "0.." : "");
        print(t, k, e->a, 4);
        if (e->op == CX_EXPR_RANGE) {
            put(t, "..");
            print(t, k, e->b, 4);
        }
    } else {
        print_leaf(t, k, e);
    }
    t->depth--;
}

void cx_explain_expr(char *buf, size_t size, const struct cx_summary_kernel *kernel, int32_t node)
{
    struct text t = {.buf = buf, .size = size};

    if (size == 0) {
        return;
    }
    buf[0] = 0;
    print(&t, kernel, node, 0);
    if (is_full(&t) && size > 4) {
        memcpy(buf + size - 4, "...", 4);
    }
}

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

static void print_line(FILE *out, const char *file, uint32_t line)
{
    if (line && file) {
        fprintf(out, " (%s:%" PRIu32 ")", file, line);
    } else if (line) {
        fprintf(out, " (line %" PRIu32 ")", line);
    }
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

static void print_guards(FILE *out, const struct cx_summary_kernel *k, const struct cx_access_record *r)
{
    const char *separator = ", if ";

    for (uint32_t i = 0; i < r->nguard; i++) {
        const struct cx_guard *g = &k->guard[r->guard + i];
        char l[160], rhs[160];
        if (g->hint) {
            continue;
        }
        cx_explain_expr(l, sizeof(l), k, g->l);
        cx_explain_expr(rhs, sizeof(rhs), k, g->r);
        fprintf(out, "%s%s %s %s", separator, l, pred_names[g->pred], rhs);
        separator = " and ";
    }
}

/* Why an offset is not known, from the first opaque value in it; CX_OPAQUE_COUNT where it is known. */
static enum cx_opaque first_opaque(const struct cx_summary_kernel *k, int32_t node)
{
    unsigned char *mark = calloc((size_t)node + 1, 1);
    enum cx_opaque why = CX_OPAQUE_COUNT;

    for (int32_t i = node; mark && i >= 0; i--) {
        const struct cx_expr *e = &k->expr[i];
        unsigned n = cx_expr_operands(e->op);
        if (i != node && !mark[i]) {
            continue;
        }
        if (e->op == CX_EXPR_OPAQUE && why == CX_OPAQUE_COUNT) {
            why = (enum cx_opaque)e->a;
        }
        if (n >= 1) {
            mark[e->a] = 1;
        }
        if (n >= 2) {
            mark[e->b] = 1;
        }
    }
    free(mark);
    return why;
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
    enum cx_opaque why = r->off >= 0 ? first_opaque(k, r->off) : CX_OPAQUE_OTHER;

    fprintf(out, "    %-6s", modes[r->mode]);
    if (r->off < 0) {
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
    print_guards(out, k, r);
    print_line(out, file, r->line);
    fputc('\n', out);
}

static void print_arg(FILE *out, const struct cx_summary_kernel *k, uint32_t i, const char *file)
{
    const struct cx_summary_arg *arg = &k->arg[i];
    char name[32];

    if (arg->kind == CX_ARG_VALUE || arg->kind == CX_ARG_LOCAL || arg->kind == CX_ARG_OTHER) {
        return;
    }
    fprintf(out, "  %s (%s %s):", arg_name(k, i, name, sizeof(name)), kind_names[arg->kind],
            arg->type[0] ? arg->type : "pointer");
    if (k->flags & CX_SUMMARY_OPAQUE) {
        fputs(" not analysed\n", out);
        return;
    }
    if (!arg->touch) {
        fputs(" not used\n", out);
        return;
    }
    fputs(arg->kind == CX_ARG_IMAGE ? " image\n" : "\n", out);
    for (uint32_t j = 0; j < k->naccess; j++) {
        if (k->access[j].arg == i) {
            print_access(out, k, &k->access[j], file);
        }
    }
}

#define TRIAL_BYTES 1024

struct trial {
    struct cx_access_geometry geometry;
    struct cx_access_arg *args;
    unsigned char narrow[TRIAL_BYTES]; /* 32-bit numbers one after another: int, int2, most structs */
    unsigned char wide[8];             /* one 64-bit number */
};

/* Shapes of work-groups to try, the most usual ones first, by number of dimensions. */
#define SHAPES 4
static const uint64_t shapes[4][SHAPES] = {{1, 1, 1, 1}, {64, 256, 128, 16}, {16, 8, 32, 4}, {4, 8, 2, 1}};

static void make_geometry(struct cx_access_geometry *g, const struct cx_summary_kernel *k, unsigned shape)
{
    static const uint64_t items[4] = {0, 4096, 256, 64};
    uint32_t dims = k->max_dim ? k->max_dim : 1;

    *g = (struct cx_access_geometry){.work_dim = dims};
    for (unsigned d = 0; d < dims; d++) {
        uint64_t groups;
        g->local[d] = k->reqd_size[d] ? k->reqd_size[d] : shapes[dims][shape];
        groups = items[dims] / g->local[d];
        g->global[d] = g->local[d] * (groups ? groups : 2);
    }
}

static void make_trial(struct trial *t, const struct cx_summary_kernel *k, unsigned shape)
{
    uint64_t number;

    make_geometry(&t->geometry, k, shape);
    number = t->geometry.global[0];
    memcpy(t->wide, &number, sizeof(t->wide));
    for (size_t at = 0; at < sizeof(t->narrow); at += 4) {
        memcpy(t->narrow + at, &(uint32_t){(uint32_t)number}, 4);
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        bool wide = k->arg[i].size == 8 && !strchr(k->arg[i].type, '2');
        t->args[i] = (struct cx_access_arg){.value = wide ? t->wide : t->narrow,
                                            .size = wide ? sizeof(t->wide) : sizeof(t->narrow),
                                            .object = i + 1,
                                            .bytes = UINT64_C(1) << 40};
    }
}

/* The verdict on the first trial launch that splits, else on the first one. */
static unsigned judge_trials(const struct cx_summary_kernel *k, struct cx_access_verdict *verdict)
{
    struct trial t = {.args = calloc(k->narg + 1, sizeof(*t.args))};

    verdict->reason = CX_REASON_NO_MEMORY;
    for (unsigned shape = 0; t.args && shape < SHAPES; shape++) {
        struct cx_access_verdict v;
        make_trial(&t, k, shape);
        cx_access_choose(k, &t.geometry, t.args, NULL, &v);
        if (v.separable || shape == 0) {
            *verdict = v;
        }
        if (v.separable || (k->flags & CX_SUMMARY_REQD_SIZE)) {
            free(t.args);
            return shape;
        }
    }
    free(t.args);
    return 0;
}

static void print_verdict(FILE *out, const struct cx_summary_kernel *k, const char *file)
{
    struct cx_access_verdict v = {.arg = -1};
    unsigned shape = 0;
    char name[32];

    v.reason = cx_summary_forbids(k, &v.line, &v.arg);
    if (v.reason == CX_REASON_NONE) {
        shape = judge_trials(k, &v);
    }
    if (!v.separable) {
        fprintf(out, "does not split: %s", cx_summary_reason_text(v.reason));
        if (v.arg >= 0) {
            fprintf(out, ", %s", arg_name(k, (uint32_t)v.arg, name, sizeof(name)));
        }
        print_line(out, file, v.line);
        return;
    }
    fprintf(out, "splits along dimension %u", v.dim);
    if (v.granularity > 1) {
        fprintf(out, ", %" PRIu64 " work-groups at a time", v.granularity);
    }
    if (shape > 0) {
        fprintf(out, ", with work-groups of %" PRIu64 " in each dimension",
                shapes[k->max_dim ? k->max_dim : 1][shape]);
    }
}

void cx_explain_kernel(FILE *out, const struct cx_summary_kernel *k, const char *file)
{
    char name[32];

    fprintf(out, "kernel %s", k->name);
    print_line(out, file, k->line);
    fputs("\n  ", out);
    print_verdict(out, k, file);
    fputc('\n', out);
    for (uint32_t i = 0; i < k->nnote; i++) {
        fprintf(out, "  note: %s", cx_summary_reason_text((enum cx_summary_reason)k->note[i].reason));
        if (k->note[i].arg >= 0) {
            fprintf(out, ", %s", arg_name(k, (uint32_t)k->note[i].arg, name, sizeof(name)));
        }
        print_line(out, file, k->note[i].line);
        fputc('\n', out);
    }
    print_uses(out, k->flags & CX_SUMMARY_OPAQUE ? 0 : k->uses);
    for (uint32_t i = 0; i < k->narg; i++) {
        print_arg(out, k, i, file);
    }
}

void cx_explain_summary(FILE *out, const struct cx_summary *summary, const char *file)
{
    for (uint32_t i = 0; i < summary->nkernel; i++) {
        fputs(i ? "\n" : "", out);
        cx_explain_kernel(out, &summary->kernel[i], file);
    }
}
