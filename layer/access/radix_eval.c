/* SPDX-License-Identifier: MIT */
/*
 * As eval.c has it, with values in place of bounds. Where an operation reads its operand as signed or
 * unsigned, the sum must lie in one period of the width; it is moved there. Guards that compare an id, or
 * what is left of one after a shift, with a number narrow the ids; all others are left out, so that more
 * items than there are may seem to execute the access.
 */
#include "layer/access/radix_eval.h"

#include <stdlib.h>
#include <string.h>

enum { NEW, WANTED, DONE };

static const struct cx_radix unknown = {.known = false};

bool cx_radix_eval_init(struct cx_radix_eval *re, const struct cx_eval *ev)
{
    const uint32_t n = ev->launch.kernel->nexpr;

    *re = (struct cx_radix_eval){.ev = ev};
    re->node = malloc((n + 6) * (sizeof(*re->node) + 1));
    re->room = re->node + n;
    re->state = (uint8_t *)(re->room + 6);
    return re->node != NULL;
}

void cx_radix_eval_finish(struct cx_radix_eval *re)
{
    free(re->node);
    re->node = NULL;
}

/* The number in the period of the width that begins at 0 or, with sign, at half a period below. */
static struct cx_radix read_as(const struct cx_radix_eval *re, const struct cx_radix *a, unsigned width,
                               bool sign)
{
    const int64_t half = width < 62 ? INT64_C(1) << (width - 1) : 0, base = sign ? -half : 0;
    struct cx_radix f = *a;
    int64_t lo, hi, by;

    if (!a->known || !cx_radix_hull(&re->ids, a, &lo, &hi)) {
        return unknown;
    }
    if (width >= 62) { /* 63 bits are no width that occurs */
        return width >= 64 && (sign || lo >= 0) ? f : unknown;
    }
    by = cx_floor_div(lo - base, 2 * half) * 2 * half;
    if (hi - by >= base + 2 * half) {
        return unknown;
    }
    f.constant -= by;
    return f;
}

static struct cx_radix work_item(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const struct cx_launch *l = &re->ev->launch;
    const unsigned d = (unsigned)e->a;
    struct cx_radix id, offset;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_GLOBAL_ID:
        id = cx_radix_digit(&re->ids, d, 1, 0);
        offset = cx_radix_const(l->offset[d]);
        return cx_radix_add(&re->ids, &id, &offset, 1);
    case CX_EXPR_LOCAL_ID:
        return cx_radix_digit(&re->ids, d, 1, l->local[d]);
    case CX_EXPR_GROUP_ID:
        return cx_radix_digit(&re->ids, d, l->local[d], 0);
    default:
        return unknown;
    }
}

static struct cx_radix loop_value(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const struct cx_radix *start = &re->node[e->a], *step = &re->node[e->b];
    struct cx_radix times;

    if (e->imm >= CX_RADIX_IDS - 3 || re->ev->loop_var[e->imm] < 0 || !cx_radix_is_const(step)) {
        return unknown;
    }
    times = cx_radix_digit(&re->ids, 3 + (unsigned)e->imm, 1, 0);
    return cx_radix_add(&re->ids, start, &times, step->constant);
}

static struct cx_radix product(const struct cx_radix_eval *re, const struct cx_radix *a,
                               const struct cx_radix *b)
{
    const struct cx_radix zero = cx_radix_const(0);

    if (!a->known || !b->known) {
        return unknown;
    }
    if (cx_radix_is_const(b)) {
        return cx_radix_add(&re->ids, &zero, a, b->constant);
    }
    return cx_radix_is_const(a) ? cx_radix_add(&re->ids, &zero, b, a->constant) : unknown;
}

static struct cx_radix mul24(const struct cx_radix_eval *re, const struct cx_radix *a,
                             const struct cx_radix *b, bool sign, unsigned width)
{
    const struct cx_radix x = read_as(re, a, width, sign), y = read_as(re, b, width, sign);
    const int64_t least = sign ? -(INT64_C(1) << 23) : 0, most = INT64_C(1) << (sign ? 23 : 24);
    int64_t lo, hi;

    if (!x.known || !y.known || !cx_radix_hull(&re->ids, &x, &lo, &hi) || lo < least || hi >= most ||
        !cx_radix_hull(&re->ids, &y, &lo, &hi) || lo < least || hi >= most) {
        return unknown;
    }
    return product(re, &x, &y);
}

static struct cx_radix divide(const struct cx_radix_eval *re, const struct cx_expr *e, bool sign, bool rest)
{
    const struct cx_radix a = read_as(re, &re->node[e->a], e->width, sign),
                          b = read_as(re, &re->node[e->b], e->width, sign);
    int64_t lo, hi;

    if (!a.known || !cx_radix_is_const(&b) || b.constant < 1 || !cx_radix_hull(&re->ids, &a, &lo, &hi) ||
        lo < 0) {
        return unknown;
    }
    return cx_radix_divide(&re->ids, &a, b.constant, rest);
}

static struct cx_radix shift(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const struct cx_radix *by = &re->node[e->b];
    struct cx_radix a = re->node[e->a], power;

    if (!cx_radix_is_const(by) || by->constant < 0 || by->constant >= e->width || by->constant > 61) {
        return unknown;
    }
    power = cx_radix_const(INT64_C(1) << by->constant);
    if (e->op == CX_EXPR_SHL) {
        return product(re, &a, &power);
    }
    a = read_as(re, &a, e->width, e->op == CX_EXPR_ASHR);
    return cx_radix_divide(&re->ids, &a, power.constant, false);
}

/* a modulo 2^bits, which divides the period of any width that a may have */
static struct cx_radix low_bits(const struct cx_radix_eval *re, const struct cx_radix *a, unsigned bits)
{
    return bits > 61 ? unknown : cx_radix_divide(&re->ids, a, INT64_C(1) << bits, true);
}

static struct cx_radix and_mask(const struct cx_radix_eval *re, const struct cx_radix *a, int64_t mask,
                                unsigned width)
{
    const uint64_t used = width < 64 ? (UINT64_C(1) << width) - 1 : ~UINT64_C(0), m = (uint64_t)mask & used;
    unsigned from, to;
    struct cx_radix low, high;

    if (m == 0) {
        return cx_radix_const(0);
    }
    from = (unsigned)__builtin_ctzll(m);
    to = 64u - (unsigned)__builtin_clzll(m);
    if ((m >> from) & ((m >> from) + 1)) {
        return unknown; /* not bits that lie beside each other */
    }
    low = low_bits(re, a, from);
    high = to == width ? *a : low_bits(re, a, to); /* above all bits is what makes no difference */
    return cx_radix_add(&re->ids, &high, &low, -1);
}

/* All bits that a value may have: those that its ends have in common, and all below the first that they have
 * not, but for the zeros that all values end with. False where that is not known. */
static bool may_have(const struct cx_radix_eval *re, const struct cx_radix *a, unsigned width, uint64_t *may)
{
    uint64_t all = (uint64_t)a->constant, unlike;
    int64_t lo, hi;

    for (unsigned i = 0; i < a->n; i++) {
        all |= (uint64_t)a->digit[i].factor | (uint64_t)a->digit[i].step;
    }
    if (!cx_radix_hull(&re->ids, a, &lo, &hi) || lo < 0 || (width < 62 && hi >= INT64_C(1) << width)) {
        return false;
    }
    unlike = (uint64_t)lo ^ (uint64_t)hi;
    unlike = unlike ? ~UINT64_C(0) >> __builtin_clzll(unlike) : 0;
    *may = ((uint64_t)lo | unlike) & ~((all & -all) - 1);
    return true;
}

static struct cx_radix bits(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const struct cx_radix *a = &re->node[e->a], *b = &re->node[e->b];
    uint64_t of_a, of_b;

    if (!a->known || !b->known) {
        return unknown;
    }
    if (e->op == CX_EXPR_AND) {
        return cx_radix_is_const(b)   ? and_mask(re, a, b->constant, e->width)
               : cx_radix_is_const(a) ? and_mask(re, b, a->constant, e->width)
                                      : unknown;
    }
    if (!may_have(re, a, e->width, &of_a) || !may_have(re, b, e->width, &of_b) || of_a & of_b) {
        return unknown; /* or, and exclusive or, are a sum where no bit is in both */
    }
    return cx_radix_add(&re->ids, a, b, 1);
}

static struct cx_radix least(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const bool sign = e->op == CX_EXPR_SMIN || e->op == CX_EXPR_SMAX;
    const bool most = e->op == CX_EXPR_SMAX || e->op == CX_EXPR_UMAX;
    struct cx_radix *a = &re->room[3], *b = &re->room[4], *less = &re->room[5];
    int64_t lo, hi;

    *a = read_as(re, &re->node[e->a], e->width, sign);
    *b = read_as(re, &re->node[e->b], e->width, sign);
    *less = cx_radix_add(&re->ids, a, b, -1);
    if (!less->known || !cx_radix_hull(&re->ids, less, &lo, &hi)) {
        return unknown;
    }
    if (hi <= 0 || lo >= 0) {
        return (hi <= 0) != most ? *a : *b;
    }
    return cx_radix_choose(&re->ids, less, CX_RADIX_LEAST, most ? b : a, most ? a : b, e->width);
}

/* A number that is below 0 (or, for equality, 0) where the comparison holds. */
static struct cx_radix *difference(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const bool sign = e->op == CX_EXPR_SLESS;
    struct cx_radix *a = &re->room[3], *b = &re->room[4], *less = &re->room[5];

    *a = read_as(re, &re->node[e->a], e->width, sign);
    *b = read_as(re, &re->node[e->b], e->width, sign);
    *less = cx_radix_add(&re->ids, a, b, -1);
    return less;
}

static struct cx_radix choice(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const struct cx_expr *expr = re->ev->launch.kernel->expr, *either = &expr[e->a], *when = &expr[e->b];
    const struct cx_form *decided = &re->ev->form[e->b];

    if (cx_form_is_const(decided)) { /* then there are no sums of what it compares */
        return re->node[decided->lo ? either->a : either->b];
    }
    if (when->op != CX_EXPR_ULESS && when->op != CX_EXPR_SLESS && when->op != CX_EXPR_EQUAL) {
        return unknown;
    }
    return cx_radix_choose(&re->ids, difference(re, when),
                           when->op == CX_EXPR_EQUAL ? CX_RADIX_EQUAL : CX_RADIX_BELOW, &re->node[either->a],
                           &re->node[either->b], e->width);
}

static struct cx_radix operation(const struct cx_radix_eval *re, const struct cx_expr *e)
{
    const struct cx_radix *a = &re->node[e->a], *b = cx_expr_operands(e->op) > 1 ? &re->node[e->b] : a;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_ADD:
    case CX_EXPR_SUB:
        return cx_radix_add(&re->ids, a, b, e->op == CX_EXPR_ADD ? 1 : -1);
    case CX_EXPR_MUL:
        return product(re, a, b);
    case CX_EXPR_SMUL24:
    case CX_EXPR_UMUL24:
        return mul24(re, a, b, e->op == CX_EXPR_SMUL24, e->width);
    case CX_EXPR_UDIV:
    case CX_EXPR_SDIV:
        return divide(re, e, e->op == CX_EXPR_SDIV, false);
    case CX_EXPR_UREM:
    case CX_EXPR_SREM:
        return divide(re, e, e->op == CX_EXPR_SREM, true);
    case CX_EXPR_SHL:
    case CX_EXPR_LSHR:
    case CX_EXPR_ASHR:
        return shift(re, e);
    case CX_EXPR_AND:
    case CX_EXPR_OR:
    case CX_EXPR_XOR:
        return bits(re, e);
    case CX_EXPR_SMIN:
    case CX_EXPR_SMAX:
    case CX_EXPR_UMIN:
    case CX_EXPR_UMAX:
        return least(re, e);
    case CX_EXPR_SEXT:
    case CX_EXPR_ZEXT:
        return read_as(re, a, re->ev->launch.kernel->expr[e->a].width, e->op == CX_EXPR_SEXT);
    case CX_EXPR_TRUNC:
        return *a;
    case CX_EXPR_CHOICE:
        return choice(re, e);
    default:
        return unknown;
    }
}

static struct cx_radix evaluate(const struct cx_radix_eval *re, int32_t node)
{
    const struct cx_expr *e = &re->ev->launch.kernel->expr[node];

    if (cx_form_is_const(&re->ev->form[node])) {
        return cx_radix_const(re->ev->form[node].lo);
    }
    if (e->op == CX_EXPR_LOOP) {
        return loop_value(re, e);
    }
    return cx_expr_operands(e->op) ? operation(re, e) : work_item(re, e);
}

static const struct cx_radix *sum_of(struct cx_radix_eval *re, int32_t node)
{
    const struct cx_expr *expr = re->ev->launch.kernel->expr;
    int32_t first = node;

    for (int32_t i = node; i >= 0; i--) {
        const unsigned n = cx_expr_operands(expr[i].op);
        if (i != node && re->state[i] != WANTED) {
            continue;
        }
        if (i == node && re->state[i] == DONE) {
            break;
        }
        re->state[i] = WANTED;
        first = i;
        for (unsigned j = 0; j < n && !cx_form_is_const(&re->ev->form[i]); j++) {
            uint8_t *state = &re->state[j ? expr[i].b : expr[i].a];
            *state = *state == DONE ? DONE : WANTED;
        }
    }
    for (int32_t i = first; i <= node; i++) {
        if (re->state[i] == WANTED) {
            re->node[i] = evaluate(re, i);
            re->state[i] = DONE;
        }
    }
    return &re->node[node];
}

/* Narrows the id to the numbers for which `less`, made of it alone, is below 0. */
static void narrow(const struct cx_radix *less, struct cx_ids *ids)
{
    const struct cx_digit *d = &less->digit[0];
    int64_t end;

    if (!less->known || less->n != 1 || d->step || d->place != 1 || d->base ||
        (d->factor != 1 && d->factor != -1)) {
        return;
    }
    end = d->factor > 0 ? -less->constant - 1 : less->constant + 1;
    if (d->factor > 0 && end < ids->hi[d->id] && end >= ids->lo[d->id]) {
        ids->hi[d->id] = end;
    }
    if (d->factor < 0 && end > ids->lo[d->id] && end <= ids->hi[d->id]) {
        ids->lo[d->id] = end;
    }
}

static void apply(struct cx_radix_eval *re, const struct cx_guard *g, struct cx_ids *ids)
{
    const unsigned width = re->ev->launch.kernel->expr[g->l].width;
    const bool sign =
        g->pred == CX_PRED_SLT || g->pred == CX_PRED_SLE || g->pred == CX_PRED_SGT || g->pred == CX_PRED_SGE;
    const bool swap =
        g->pred == CX_PRED_UGT || g->pred == CX_PRED_UGE || g->pred == CX_PRED_SGT || g->pred == CX_PRED_SGE;
    const bool or_equal =
        g->pred == CX_PRED_ULE || g->pred == CX_PRED_UGE || g->pred == CX_PRED_SLE || g->pred == CX_PRED_SGE;
    struct cx_radix *l = &re->room[0], *r = &re->room[1], *less = &re->room[2];

    if (g->pred == CX_PRED_EQ || g->pred == CX_PRED_NE) {
        return;
    }
    *l = read_as(re, sum_of(re, swap ? g->r : g->l), width, sign);
    *r = read_as(re, sum_of(re, swap ? g->l : g->r), width, sign);
    *less = cx_radix_add(&re->ids, l, r, -1);
    if (or_equal && less->known) {
        less->constant--;
    }
    narrow(less, ids);
}

void cx_radix_eval_access(struct cx_radix_eval *re, const struct cx_access_record *r, struct cx_ids *ids,
                          struct cx_radix *place)
{
    const struct cx_launch *l = &re->ev->launch;
    struct cx_radix *skew = &re->room[0];

    for (unsigned d = 0; d < CX_RADIX_IDS; d++) {
        const bool loop = d >= 3 && d - 3 < l->kernel->nloop && re->ev->loop_var[d - 3] >= 0;
        ids->lo[d] = 0;
        ids->hi[d] = d < 3 ? l->global[d] - 1 : loop ? re->ev->vars.var[re->ev->loop_var[d - 3]].hi : 0;
    }
    re->ids = *ids;
    memset(re->state, NEW, l->kernel->nexpr);
    for (uint32_t i = 0; i < r->nguard; i++) {
        apply(re, &l->kernel->guard[r->guard + i], ids);
    }
    if (memcmp(&re->ids, ids, sizeof(*ids)) != 0) {
        re->ids = *ids;
        memset(re->state, NEW, l->kernel->nexpr);
    }
    if (r->off < 0 || r->len >= 0) {
        place->known = false;
        return;
    }
    *skew = cx_radix_const(r->skew);
    *place = cx_radix_add(ids, sum_of(re, r->off), skew, 1);
}
