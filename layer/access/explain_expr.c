/* SPDX-License-Identifier: MIT */
/* Expressions as text. Widths and signs matter to the evaluation, not to a reader, and are left out. */
#include "layer/access/explain.h"

#include <inttypes.h>
#include <stdarg.h>
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
    case CX_EXPR_ULESS:
    case CX_EXPR_SLESS:
        return "<";
    case CX_EXPR_EQUAL:
        return "==";
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

static const char *image_number(int64_t query)
{
    static const char *const names[CX_IMAGE_QUERY_COUNT] = {
        [CX_IMAGE_WIDTH] = "width",
        [CX_IMAGE_HEIGHT] = "height",
        [CX_IMAGE_DEPTH] = "depth",
        [CX_IMAGE_ARRAY_SIZE] = "layers",
        [CX_IMAGE_CHANNEL_TYPE] = "channel_type",
        [CX_IMAGE_CHANNEL_ORDER] = "channel_order",
        [CX_IMAGE_ELEMENT_SIZE] = "texel_size",
        [CX_IMAGE_ROW_PITCH] = "row_pitch",
        [CX_IMAGE_SLICE_PITCH] = "slice_pitch",
        [CX_IMAGE_BYTES] = "bytes",
    };

    return names[query];
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
    case CX_EXPR_IMAGE:
        put(t, "%s.%s", k->arg[e->a].name[0] ? k->arg[e->a].name : "image", image_number(e->imm));
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

/* x of 0 - x, else -1. */
static int32_t negated(const struct cx_summary_kernel *k, const struct cx_expr *e)
{
    const struct cx_expr *a = e->op == CX_EXPR_SUB ? &k->expr[e->a] : NULL;

    return a && a->op == CX_EXPR_CONST && a->imm == 0 ? e->b : -1;
}

/* -x + y as y - x, and -x. */
static bool print_negated(struct text *t, const struct cx_summary_kernel *k, const struct cx_expr *e, int own)
{
    int32_t x = negated(k, e), y = -1;

    if (e->op == CX_EXPR_ADD) {
        x = negated(k, &k->expr[e->a]);
        y = x >= 0 ? e->b : e->a;
        x = x >= 0 ? x : negated(k, &k->expr[e->b]);
    }
    if (x < 0) {
        return false;
    }
    if (y >= 0) {
        print(t, k, y, own);
    }
    put(t, y >= 0 ? " - " : "-");
    print(t, k, x, own + 1);
    return true;
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
    } else if (!print_negated(t, k, e, own)) {
        print(t, k, e->a, own);
        put(t, " %s ", operator_of(e->op));
        print(t, k, e->b, own + 1);
    }
    put(t, parentheses ? ")" : "");
}

static const struct cx_expr *behind_widening(const struct cx_summary_kernel *k, int32_t *node)
{
    while (k->expr[*node].op == CX_EXPR_ZEXT || k->expr[*node].op == CX_EXPR_TRUNC) {
        *node = k->expr[*node].a;
    }
    return &k->expr[*node];
}

static bool is_one(const struct cx_summary_kernel *k, int32_t node)
{
    return k->expr[node].op == CX_EXPR_CONST && k->expr[node].imm == 1;
}

/* max(x, y) - x, which is 0 or not as x < y does not or does hold: the other one's node, -1 where it is none.
 */
static int32_t larger_than(const struct cx_summary_kernel *k, const struct cx_expr *e, int32_t *x)
{
    const struct cx_expr *max = &k->expr[e->a], *c = &k->expr[e->b];

    if ((e->op != CX_EXPR_SUB && e->op != CX_EXPR_ADD) ||
        (max->op != CX_EXPR_SMAX && max->op != CX_EXPR_UMAX)) {
        return -1;
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct cx_expr *side;
        *x = i ? max->b : max->a;
        side = &k->expr[*x];
        if (e->op == CX_EXPR_SUB ? *x == e->b
                                 : c->op == CX_EXPR_CONST && side->op == CX_EXPR_CONST &&
                                       (uint64_t)side->imm == 0 - (uint64_t)c->imm) {
            return i ? max->a : max->b;
        }
    }
    return -1;
}

/* A number of 0 or 1 as the analyser makes it of conditions: their opposites, and, or, !=, <. */
static void print_truth(struct text *t, const struct cx_summary_kernel *k, int32_t node, bool yes)
{
    const struct cx_expr *e = behind_widening(k, &node);
    int32_t x, y;

    if (is_full(t) || (e->op != CX_EXPR_UMIN && e->op != CX_EXPR_UMAX && e->op != CX_EXPR_SUB)) {
        put(t, yes ? "" : "!");
        print(t, k, node, 4);
    } else if (e->op == CX_EXPR_SUB) {
        print_truth(t, k, e->b, !yes);
    } else if (e->op == CX_EXPR_UMAX || !(is_one(k, e->a) || is_one(k, e->b))) {
        print_truth(t, k, e->a, yes);
        put(t, (e->op == CX_EXPR_UMIN) == yes ? " and " : " or ");
        print_truth(t, k, e->b, yes);
    } else {
        node = is_one(k, e->b) ? e->a : e->b;
        e = &k->expr[node];
        y = larger_than(k, e, &x);
        if (y >= 0) {
            print(t, k, x, 1);
            put(t, yes ? " < " : " >= ");
            print(t, k, y, 1);
        } else if (e->op == CX_EXPR_SUB || (e->op == CX_EXPR_ADD && k->expr[e->b].op == CX_EXPR_CONST)) {
            print(t, k, e->a, 1);
            put(t, yes ? " != " : " == ");
            if (e->op == CX_EXPR_SUB) {
                print(t, k, e->b, 1);
            } else {
                put(t, "%" PRId64, (int64_t)(0 - (uint64_t)k->expr[e->b].imm));
            }
        } else {
            print(t, k, node, 1);
            put(t, yes ? " != 0" : " == 0");
        }
    }
}

static bool is_opposite(const struct cx_summary_kernel *k, const struct cx_expr *e, int32_t truth)
{
    int32_t other = e->b;

    if (e->op != CX_EXPR_SUB || !is_one(k, e->a)) {
        return false;
    }
    behind_widening(k, &other);
    return other == truth;
}

/* x * truth + y * (1 - truth): a choice that the launch decides. False where it is none. */
static bool print_choice(struct text *t, const struct cx_summary_kernel *k, const struct cx_expr *e)
{
    const struct cx_expr *l = &k->expr[e->a], *r = &k->expr[e->b];

    if (e->op != CX_EXPR_ADD || l->op != CX_EXPR_MUL || r->op != CX_EXPR_MUL) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        int32_t m = i & 1 ? l->a : l->b, n = i & 2 ? r->a : r->b, yes = m, no = n;
        const struct cx_expr *a = behind_widening(k, &m), *b = behind_widening(k, &n);
        bool second = is_opposite(k, b, m);
        if (!second && !is_opposite(k, a, n)) {
            continue;
        }
        put(t, "(");
        print_truth(t, k, second ? yes : no, true);
        put(t, " ? ");
        print(t, k, second ? (i & 1 ? l->b : l->a) : (i & 2 ? r->b : r->a), 1);
        put(t, " : ");
        print(t, k, second ? (i & 2 ? r->b : r->a) : (i & 1 ? l->b : l->a), 1);
        put(t, ")");
        return true;
    }
    return false;
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

/* A choice that each item decides. */
static void print_case(struct text *t, const struct cx_summary_kernel *k, const struct cx_expr *e)
{
    put(t, "(");
    print(t, k, e->b, 1);
    put(t, " ? ");
    print(t, k, k->expr[e->a].a, 1);
    put(t, " : ");
    print(t, k, k->expr[e->a].b, 1);
    put(t, ")");
}

static void print(struct text *t, const struct cx_summary_kernel *k, int32_t node, int level)
{
    const struct cx_expr *e = &k->expr[node];
    const char *function = function_of(e->op);

    if (is_full(t) || ++t->depth > 100) {
        t->used = t->size - 1;
        return;
    }
    if (print_choice(t, k, e)) {
        t->depth--;
        return;
    }
    if (e->op == CX_EXPR_CHOICE) {
        print_case(t, k, e);
    } else if (operator_of(e->op)) {
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
