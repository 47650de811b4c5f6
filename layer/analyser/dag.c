/* SPDX-License-Identifier: MIT */
/* All folding is arithmetic modulo 2^width, which needs no assumption about overflow. */
#include "layer/analyser/dag.h"

#include <stdlib.h>

#define MAX_NODES 60000u

static int64_t wrap(int64_t value, unsigned width)
{
    unsigned drop = 64 - width;

    return (int64_t)((uint64_t)value << drop) >> drop;
}

void cx_dag_finish(struct cx_dag *dag)
{
    free(dag->node);
    cx_map_finish(&dag->index);
}

unsigned cx_dag_width(const struct cx_dag *dag, int32_t node)
{
    return dag->node[node].width;
}

static int32_t intern(struct cx_dag *dag, struct cx_expr e)
{
    uint64_t key = (uint64_t)e.op | (uint64_t)e.width << 8 | (uint64_t)(uint32_t)e.imm << 32;
    uint64_t key2 = (uint64_t)(uint32_t)e.a | (uint64_t)(uint32_t)e.b << 32;
    int32_t found;

    /* a large constant does not fit the key: its upper half goes where constants have no operands */
    if (e.op == CX_EXPR_CONST) {
        key2 = (uint64_t)e.imm;
    }
    if (cx_map_get(&dag->index, key, key2, &found)) {
        return found;
    }
    if (dag->count == MAX_NODES) {
        dag->full = true;
        return 0;
    }
    if (dag->count == dag->room) {
        dag->room = dag->room ? dag->room * 2 : 256;
        dag->node = cx_realloc(dag->node, dag->room, sizeof(*dag->node));
    }
    dag->node[dag->count] = e;
    cx_map_put(&dag->index, key, key2, (int32_t)dag->count);
    return (int32_t)dag->count++;
}

static int32_t make(struct cx_dag *dag, enum cx_expr_op op, unsigned width, int32_t a, int32_t b, int64_t imm)
{
    return intern(dag,
                  (struct cx_expr){.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b, .imm = imm});
}

int32_t cx_dag_const(struct cx_dag *dag, unsigned width, int64_t value)
{
    return make(dag, CX_EXPR_CONST, width, -1, -1, wrap(value, width));
}

int32_t cx_dag_leaf(struct cx_dag *dag, enum cx_expr_op op, unsigned width, int32_t a, int64_t imm)
{
    return make(dag, op, width, a, -1, imm);
}

int32_t cx_dag_opaque(struct cx_dag *dag, unsigned width, enum cx_opaque why)
{
    return make(dag, CX_EXPR_OPAQUE, width, (int32_t)why, -1, ++dag->serial);
}

int32_t cx_dag_range(struct cx_dag *dag, unsigned width, int64_t lo, int64_t hi)
{
    int32_t a = cx_dag_const(dag, width, lo), b = cx_dag_const(dag, width, hi);

    return make(dag, CX_EXPR_RANGE, width, a, b, ++dag->serial);
}

int32_t cx_dag_between(struct cx_dag *dag, int32_t lo, int32_t hi)
{
    return make(dag, CX_EXPR_RANGE, cx_dag_width(dag, lo), lo, hi, ++dag->serial);
}

int32_t cx_dag_loop(struct cx_dag *dag, int32_t start, int32_t step, uint32_t loop)
{
    return make(dag, CX_EXPR_LOOP, cx_dag_width(dag, start), start, step, loop);
}

int32_t cx_dag_abs(struct cx_dag *dag, int32_t a)
{
    return make(dag, CX_EXPR_ABS, cx_dag_width(dag, a), a, -1, 0);
}

int32_t cx_dag_decay(struct cx_dag *dag, int32_t start, uint32_t loop)
{
    /* b is no operand: it keeps two variables that start alike from being one node */
    return make(dag, CX_EXPR_DECAY, cx_dag_width(dag, start), start, (int32_t)(-2 - ++dag->serial), loop);
}

bool cx_dag_is_const(const struct cx_dag *dag, int32_t node, int64_t *value)
{
    if (node < 0 || dag->node[node].op != CX_EXPR_CONST) {
        return false;
    }
    *value = dag->node[node].imm;
    return true;
}

/* x and c of x + c */
static bool is_plus_const(const struct cx_dag *dag, int32_t node, int32_t *x, int64_t *c)
{
    const struct cx_expr *e = &dag->node[node];

    if (e->op != CX_EXPR_ADD || !cx_dag_is_const(dag, e->b, c)) {
        return false;
    }
    *x = e->a;
    return true;
}

/* (p / q) * q + p % q is p */
static int32_t quotient_and_rest(const struct cx_dag *dag, int32_t a, int32_t b)
{
    const struct cx_expr *product = &dag->node[a], *rest = &dag->node[b];
    enum cx_expr_op division;

    if (product->op != CX_EXPR_MUL || (rest->op != CX_EXPR_UREM && rest->op != CX_EXPR_SREM)) {
        return -1;
    }
    division = rest->op == CX_EXPR_UREM ? CX_EXPR_UDIV : CX_EXPR_SDIV;
    for (int swap = 0; swap < 2; swap++) {
        int32_t q = swap ? product->a : product->b;
        const struct cx_expr *d = &dag->node[swap ? product->b : product->a];
        if (d->op == division && d->a == rest->a && d->b == rest->b && d->b == q) {
            return rest->a;
        }
    }
    return -1;
}

static int32_t add(struct cx_dag *dag, int32_t a, int32_t b)
{
    unsigned width = cx_dag_width(dag, a);
    int64_t ca, cb;
    int32_t x, y;

    if (cx_dag_is_const(dag, a, &ca)) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    if (cx_dag_is_const(dag, b, &cb)) {
        if (cb == 0) {
            return a;
        }
        if (cx_dag_is_const(dag, a, &ca)) {
            return cx_dag_const(dag, width, (int64_t)((uint64_t)ca + (uint64_t)cb));
        }
        if (is_plus_const(dag, a, &x, &ca)) {
            return add(dag, x, cx_dag_const(dag, width, (int64_t)((uint64_t)ca + (uint64_t)cb)));
        }
        return make(dag, CX_EXPR_ADD, width, a, b, 0);
    }
    if (is_plus_const(dag, a, &x, &ca)) {
        return add(dag, add(dag, x, b), cx_dag_const(dag, width, ca));
    }
    if (is_plus_const(dag, b, &y, &cb)) {
        return add(dag, add(dag, a, y), cx_dag_const(dag, width, cb));
    }
    x = quotient_and_rest(dag, a, b);
    y = quotient_and_rest(dag, b, a);
    if (x >= 0 || y >= 0) {
        return x >= 0 ? x : y;
    }
    return a < b ? make(dag, CX_EXPR_ADD, width, a, b, 0) : make(dag, CX_EXPR_ADD, width, b, a, 0);
}

static int32_t sub(struct cx_dag *dag, int32_t a, int32_t b)
{
    unsigned width = cx_dag_width(dag, a);
    int64_t c;
    int32_t x;

    if (a == b) {
        return cx_dag_const(dag, width, 0);
    }
    if (cx_dag_is_const(dag, b, &c)) {
        return add(dag, a, cx_dag_const(dag, width, (int64_t)(0 - (uint64_t)c)));
    }
    if (is_plus_const(dag, a, &x, &c)) {
        return add(dag, sub(dag, x, b), cx_dag_const(dag, width, c));
    }
    if (is_plus_const(dag, b, &x, &c)) {
        return add(dag, sub(dag, a, x), cx_dag_const(dag, width, (int64_t)(0 - (uint64_t)c)));
    }
    return make(dag, CX_EXPR_SUB, width, a, b, 0);
}

static int32_t mul(struct cx_dag *dag, int32_t a, int32_t b)
{
    unsigned width = cx_dag_width(dag, a);
    int64_t ca, cb;
    int32_t x;

    if (cx_dag_is_const(dag, a, &ca)) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    if (!cx_dag_is_const(dag, b, &cb)) {
        return a < b ? make(dag, CX_EXPR_MUL, width, a, b, 0) : make(dag, CX_EXPR_MUL, width, b, a, 0);
    }
    if (cb == 0 || cb == 1) {
        return cb ? a : b;
    }
    if (cx_dag_is_const(dag, a, &ca)) {
        return cx_dag_const(dag, width, (int64_t)((uint64_t)ca * (uint64_t)cb));
    }
    if (is_plus_const(dag, a, &x, &ca)) {
        int32_t c = cx_dag_const(dag, width, (int64_t)((uint64_t)ca * (uint64_t)cb));
        return add(dag, mul(dag, x, b), c);
    }
    if (dag->node[a].op == CX_EXPR_MUL && cx_dag_is_const(dag, dag->node[a].b, &ca)) {
        x = dag->node[a].a;
        return mul(dag, x, cx_dag_const(dag, width, (int64_t)((uint64_t)ca * (uint64_t)cb)));
    }
    return make(dag, CX_EXPR_MUL, width, a, b, 0);
}

/* Number of zero bits that the node's value surely ends with. */
static unsigned trailing_zeros(const struct cx_dag *dag, int32_t node, unsigned depth)
{
    const struct cx_expr *e = &dag->node[node];
    unsigned a, b;

    if (depth > 8) {
        return 0;
    }
    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_CONST:
        return e->imm ? (unsigned)__builtin_ctzll((uint64_t)e->imm) : e->width;
    case CX_EXPR_MUL:
        a = trailing_zeros(dag, e->a, depth + 1) + trailing_zeros(dag, e->b, depth + 1);
        return a < e->width ? a : e->width;
    case CX_EXPR_ADD:
    case CX_EXPR_SUB:
        a = trailing_zeros(dag, e->a, depth + 1);
        b = trailing_zeros(dag, e->b, depth + 1);
        return a < b ? a : b;
    case CX_EXPR_SEXT:
    case CX_EXPR_ZEXT:
        a = trailing_zeros(dag, e->a, depth + 1);
        return a < dag->node[e->a].width ? a : e->width;
    case CX_EXPR_TRUNC:
        a = trailing_zeros(dag, e->a, depth + 1);
        return a < e->width ? a : e->width;
    default:
        return 0;
    }
}

/* x | c, where c has only bits that x surely has not, is x + c. */
static bool is_low_part(const struct cx_dag *dag, int32_t x, int64_t c)
{
    unsigned zeros = trailing_zeros(dag, x, 0);

    return c >= 0 && zeros > 0 && (zeros >= 63 || c < INT64_C(1) << zeros);
}

int32_t cx_dag_binary(struct cx_dag *dag, enum cx_expr_op op, int32_t a, int32_t b)
{
    unsigned width = cx_dag_width(dag, a);
    int64_t c, other;

    switch (op) {
    case CX_EXPR_ADD:
        return add(dag, a, b);
    case CX_EXPR_SUB:
        return sub(dag, a, b);
    case CX_EXPR_MUL:
        return mul(dag, a, b);
    case CX_EXPR_SHL:
        if (cx_dag_is_const(dag, b, &c) && c >= 0 && c < width) {
            return mul(dag, a, cx_dag_const(dag, width, (int64_t)(UINT64_C(1) << c)));
        }
        break;
    case CX_EXPR_OR:
        if (cx_dag_is_const(dag, b, &c) && is_low_part(dag, a, c)) {
            return add(dag, a, b);
        }
        break;
    case CX_EXPR_UNION:
        /* which one it is may differ from one choice to another: equal operands do not make equal values */
        return a == b ? a : make(dag, op, width, a, b, ++dag->serial);
    case CX_EXPR_UMIN:
    case CX_EXPR_UMAX:
        if (a == b) {
            return a;
        }
        break;
    case CX_EXPR_SMIN:
    case CX_EXPR_SMAX:
        if (cx_dag_is_const(dag, a, &other) && cx_dag_is_const(dag, b, &c)) {
            return (other < c) == (op == CX_EXPR_SMIN) ? a : b;
        }
        if (a == b) {
            return a;
        }
        break;
    case CX_EXPR_UDIV:
    case CX_EXPR_SDIV:
        if (cx_dag_is_const(dag, b, &c) && c == 1) {
            return a;
        }
        break;
    default:
        break;
    }
    return make(dag, op, width, a, b, 0);
}

int32_t cx_dag_resize(struct cx_dag *dag, int32_t a, unsigned width, bool sign)
{
    const struct cx_expr e = dag->node[a];
    int32_t x;
    int64_t c;

    if (e.width == width) {
        return a;
    }
    if (cx_dag_is_const(dag, a, &c)) {
        bool zero = e.width < width && !sign;
        return cx_dag_const(dag, width, zero ? (int64_t)((uint64_t)c & (~UINT64_C(0) >> (64 - e.width))) : c);
    }
    if (e.width > width) {
        if ((e.op == CX_EXPR_SEXT || e.op == CX_EXPR_ZEXT) && dag->node[e.a].width >= width) {
            return cx_dag_resize(dag, e.a, width, sign);
        }
        return make(dag, CX_EXPR_TRUNC, width, a, -1, 0);
    }
    if (e.op == CX_EXPR_ZEXT || (e.op == CX_EXPR_SEXT && sign)) {
        return cx_dag_resize(dag, e.a, width, e.op == CX_EXPR_SEXT);
    }
    /* adding less than what x is a multiple of cannot wrap around: the constant may move outwards */
    if (is_plus_const(dag, a, &x, &c) && is_low_part(dag, x, c) && trailing_zeros(dag, x, 0) < e.width) {
        return add(dag, cx_dag_resize(dag, x, width, sign), cx_dag_const(dag, width, c));
    }
    return make(dag, sign ? CX_EXPR_SEXT : CX_EXPR_ZEXT, width, a, -1, 0);
}

int32_t cx_dag_choice(struct cx_dag *dag, int32_t condition, int32_t x, int32_t y)
{
    const int32_t either = cx_dag_binary(dag, CX_EXPR_UNION, x, y);

    return x == y ? x : make(dag, CX_EXPR_CHOICE, cx_dag_width(dag, x), either, condition, 0);
}

int32_t cx_dag_split(struct cx_dag *dag, int32_t node, int64_t *constant)
{
    int32_t rest;

    *constant = 0;
    if (cx_dag_is_const(dag, node, constant)) {
        return -1;
    }
    return is_plus_const(dag, node, &rest, constant) ? rest : node;
}
