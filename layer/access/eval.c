/* SPDX-License-Identifier: MIT */
/* Nodes to forms. */
#include "layer/access/eval.h"

#include <string.h>

int cx_eval_new_var(struct cx_eval *ev, enum cx_var_kind kind, int64_t lo, int64_t hi, bool exact)
{
    if (ev->vars.count == CX_MAX_VARS) {
        return -1;
    }
    ev->vars.var[ev->vars.count] = (struct cx_var){.lo = lo, .hi = hi, .kind = (uint8_t)kind, .exact = exact};
    return (int)ev->vars.count++;
}

/* A node of which only the range is known, as a variable of its own, so that guards can narrow it. */
static struct cx_form unknown_in(struct cx_eval *ev, uint32_t node, int64_t lo, int64_t hi, bool loose)
{
    struct cx_form f;

    if (ev->node_var[node] < 0) {
        ev->node_var[node] = (int16_t)cx_eval_new_var(ev, CX_VAR_OPAQUE, lo, hi, false);
    }
    if (ev->node_var[node] < 0) {
        f = lo == INT64_MIN ? cx_form_top(64, loose) : cx_form_interval(lo, hi);
    } else {
        f = cx_form_var(&ev->vars, (unsigned)ev->node_var[node], 1);
    }
    f.loose = loose;
    return f;
}

static struct cx_form unknown(struct cx_eval *ev, uint32_t node)
{
    unsigned width = ev->launch.kernel->expr[node].width;

    if (width >= 64) {
        return unknown_in(ev, node, INT64_MIN, INT64_MAX, false);
    }
    return unknown_in(ev, node, -(INT64_C(1) << (width - 1)), (INT64_C(1) << (width - 1)) - 1, false);
}

static struct cx_form id_part(struct cx_eval *ev, unsigned d, unsigned part, int64_t count, bool exact)
{
    if (ev->id_var[d][part] < 0) {
        ev->id_var[d][part] = (int16_t)cx_eval_new_var(ev, CX_VAR_ID, 0, count - 1, exact);
    }
    if (ev->id_var[d][part] < 0) {
        return cx_form_interval(0, count - 1);
    }
    return cx_form_var(&ev->vars, (unsigned)ev->id_var[d][part], 1);
}

static struct cx_form local_id(struct cx_eval *ev, unsigned d)
{
    const struct cx_launch *l = &ev->launch;

    /* an uneven last group has fewer ids */
    return id_part(ev, d, 0, l->local[d] < l->global[d] ? l->local[d] : l->global[d],
                   l->global[d] % l->local[d] == 0);
}

static struct cx_form group_id(struct cx_eval *ev, unsigned d)
{
    const struct cx_launch *l = &ev->launch;
    struct cx_form f;

    if (d != l->dim) {
        return id_part(ev, d, 1, l->groups[d], true);
    }
    f = cx_form_var(&ev->vars, 0, l->granularity);
    if (l->granularity > 1) {
        struct cx_form part = id_part(ev, d, 1, l->granularity, l->groups[d] % l->granularity == 0);
        f = cx_form_add(&ev->vars, &f, &part, 1, 64);
    }
    return cx_form_clip(f, 0, l->groups[d] - 1);
}

static struct cx_form global_id(struct cx_eval *ev, unsigned d)
{
    const struct cx_launch *l = &ev->launch;
    struct cx_form f, other; /* few: they are large */

    if (ev->joined[d]) {
        f = id_part(ev, d, 0, l->global[d], true);
    } else {
        f = group_id(ev, d);
        other = cx_form_const(l->local[d]);
        f = cx_form_mul(&ev->vars, &f, &other, 64);
        other = local_id(ev, d);
        f = cx_form_add(&ev->vars, &f, &other, 1, 64);
    }
    other = cx_form_const(l->offset[d]);
    f = cx_form_add(&ev->vars, &f, &other, 1, 64);
    return cx_form_clip(f, l->offset[d], l->offset[d] + l->global[d] - 1);
}

static struct cx_form local_size(struct cx_eval *ev, unsigned d)
{
    const struct cx_launch *l = &ev->launch;
    int64_t rest = l->global[d] % l->local[d];

    return rest ? cx_form_interval(rest, l->local[d]) : cx_form_const(l->local[d]);
}

static struct cx_form arg_value(const struct cx_eval *ev, const struct cx_expr *e)
{
    const struct cx_access_arg *arg = &ev->launch.args[e->a];
    unsigned bytes = e->width / 8u;
    uint64_t bits = 0;

    for (unsigned i = 0; i < bytes; i++) {
        bits |= (uint64_t)((const unsigned char *)arg->value)[(size_t)e->imm + i] << (8 * i);
    }
    bits <<= 64 - e->width;
    return cx_form_const((int64_t)bits >> (64 - e->width));
}

static struct cx_form image_value(const struct cx_eval *ev, const struct cx_expr *e)
{
    const struct cx_access_arg *arg = &ev->launch.args[e->a];
    const struct cx_access_image *image = &arg->image;
    const uint64_t values[CX_IMAGE_QUERY_COUNT] = {
        [CX_IMAGE_WIDTH] = image->width,
        [CX_IMAGE_HEIGHT] = image->height,
        [CX_IMAGE_DEPTH] = image->depth,
        [CX_IMAGE_ARRAY_SIZE] = image->array_size,
        [CX_IMAGE_CHANNEL_TYPE] = image->channel_type,
        [CX_IMAGE_CHANNEL_ORDER] = image->channel_order,
        [CX_IMAGE_ELEMENT_SIZE] = image->element_size,
        [CX_IMAGE_ROW_PITCH] = image->row_pitch,
        [CX_IMAGE_SLICE_PITCH] = image->slice_pitch,
        [CX_IMAGE_BYTES] = arg->bytes,
    };

    return cx_form_const((int64_t)values[e->imm]);
}

static struct cx_form work_item(struct cx_eval *ev, const struct cx_expr *e)
{
    const struct cx_launch *l = &ev->launch;
    unsigned d = (unsigned)e->a;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_GLOBAL_ID:
        return global_id(ev, d);
    case CX_EXPR_LOCAL_ID:
        return local_id(ev, d);
    case CX_EXPR_GROUP_ID:
        return group_id(ev, d);
    case CX_EXPR_GLOBAL_SIZE:
        return cx_form_const(l->global[d]);
    case CX_EXPR_LOCAL_SIZE:
        return local_size(ev, d);
    case CX_EXPR_ENQ_LOCAL_SIZE:
        return cx_form_const(l->local[d]);
    case CX_EXPR_NUM_GROUPS:
        return cx_form_const(l->groups[d]);
    case CX_EXPR_GLOBAL_OFFSET:
        return cx_form_const(l->offset[d]);
    default:
        return cx_form_const(l->work_dim);
    }
}

/* The operand read as signed or unsigned; while guessing, taken as it is. */
static bool read_as(const struct cx_eval *ev, const struct cx_form *f, unsigned width, bool sign,
                    struct cx_form *out)
{
    if (ev->assume) {
        *out = *f;
        return true;
    }
    return cx_form_read(f, width, sign, out);
}

static struct cx_form loop_value(struct cx_eval *ev, const struct cx_form *form, uint32_t node)
{
    const struct cx_expr *e = &ev->launch.kernel->expr[node];
    const struct cx_form *start = &form[e->a], *step = &form[e->b];
    int var = ev->loop_var[e->imm];
    struct cx_form f;

    if (var < 0) {
        return unknown(ev, node);
    }
    f = cx_form_var(&ev->vars, (unsigned)var, 1);
    f = cx_form_mul(&ev->vars, &f, step, e->width);
    return cx_form_add(&ev->vars, &f, start, 1, e->width);
}

static struct cx_form decay_value(struct cx_eval *ev, const struct cx_form *form, uint32_t node)
{
    const struct cx_expr *e = &ev->launch.kernel->expr[node];
    struct cx_form start;

    if (!read_as(ev, &form[e->a], e->width, false, &start) || start.max < 0) {
        return unknown(ev, node);
    }
    return unknown_in(ev, node, 0, start.max, start.loose || cx_form_factor(&start, 0) != 0);
}

static struct cx_form range_value(struct cx_eval *ev, const struct cx_form *form, uint32_t node)
{
    const struct cx_expr *e = &ev->launch.kernel->expr[node];
    struct cx_form lo, hi;

    if (!read_as(ev, &form[e->a], e->width, true, &lo) || !read_as(ev, &form[e->b], e->width, true, &hi) ||
        lo.min > hi.max) {
        return unknown(ev, node);
    }
    return unknown_in(ev, node, lo.min, hi.max, false);
}

static bool follows_unit(const struct cx_form *f)
{
    return f->loose || cx_form_factor(f, 0) != 0;
}

static struct cx_form interval_of(int64_t lo, int64_t hi, const struct cx_form *a, const struct cx_form *b)
{
    struct cx_form f = cx_form_interval(lo, hi);

    f.loose = follows_unit(a) || follows_unit(b);
    return f;
}

/*
 * Where a number that follows the unit passes one multiple of d on its way, its rest, a place on a ring, is
 * a - d * q: the quotient q is a variable of two values, so that what lies on either side of the multiple
 * stays a row that follows the unit. *rest is what is known of the rest otherwise.
 */
static void rest_on_ring(struct cx_eval *ev, const struct cx_form *a, int64_t d, uint32_t node,
                         struct cx_form *rest)
{
    const int64_t low = a->min / d, high = a->max / d;
    const bool loose = rest->loose;
    int var = ev->node_var[node];

    if (rest->nterm > 0 || rest->lo != 0 || rest->hi != d - 1 || cx_form_factor(a, 0) == 0 ||
        high != low + 1 || a->nterm == CX_FORM_TERMS) {
        return;
    }
    if (var < 0) {
        ev->node_var[node] = (int16_t)(var = cx_eval_new_var(ev, CX_VAR_QUOTIENT, low, high, false));
    }
    if (var < 0 || ev->vars.var[var].lo > low || ev->vars.var[var].hi < high) {
        return;
    }
    *rest = *a;
    rest->min = 0;
    rest->max = d - 1;
    rest->loose = loose;
    rest->term[rest->nterm++] = (struct cx_term){(unsigned)var, -d};
}

/* Both operands are read already; a divisor that may be zero divides as if it were not, since doing it is
 * undefined. */
static struct cx_form divide(struct cx_eval *ev, const struct cx_form *a, const struct cx_form *b, bool rest,
                             unsigned width, uint32_t node)
{
    bool loose = follows_unit(a) || follows_unit(b);

    if (a->min >= 0 && a->max < INT64_MAX && cx_form_is_const(b) && b->lo > 0) {
        struct cx_form result = rest ? cx_form_mod(&ev->vars, a, b->lo) : cx_form_div(&ev->vars, a, b->lo);
        if (rest) {
            rest_on_ring(ev, a, b->lo, node, &result);
        }
        return result;
    }
    if (cx_form_is_unbounded(a) || cx_form_is_unbounded(b)) {
        return cx_form_top(width, loose);
    }
    if (a->min >= 0 && b->min >= 0 && b->max > 0) {
        int64_t least = b->min > 0 ? b->min : 1;
        if (rest) {
            return interval_of(0, a->max < b->max - 1 ? a->max : b->max - 1, a, b);
        }
        return interval_of(a->min / b->max, a->max / least, a, b);
    }
    {
        /* signed, rounded towards zero: no larger than the dividend, and a rest smaller than the divisor */
        int64_t size_a = -a->min > a->max ? -a->min : a->max, size_b = -b->min > b->max ? -b->min : b->max;
        int64_t size = rest && size_b - 1 < size_a ? size_b - 1 : size_a;
        size = size < 0 ? 0 : size;
        if (rest) {
            return interval_of(a->min >= 0 ? 0 : -size, a->max <= 0 ? 0 : size, a, b);
        }
        return interval_of(-size, size, a, b);
    }
}

static struct cx_form shift(struct cx_eval *ev, enum cx_expr_op op, const struct cx_form *a,
                            const struct cx_form *b, unsigned width)
{
    struct cx_form x, by, power;
    bool sign = op == CX_EXPR_ASHR;

    if (!read_as(ev, b, width, false, &by) || by.min < 0 || by.min >= width) {
        return cx_form_top(width, follows_unit(a) || follows_unit(b));
    }
    by.max = by.max < width ? by.max : width - 1; /* more is undefined */
    if (by.max > 62) {
        return cx_form_top(width, follows_unit(a) || follows_unit(b));
    }
    if (op == CX_EXPR_SHL) {
        power = interval_of(INT64_C(1) << by.min, INT64_C(1) << by.max, b, b);
        return cx_form_mul(&ev->vars, a, &power, width);
    }
    read_as(ev, a, width, sign, &x);
    if (cx_form_is_unbounded(&x)) {
        return cx_form_top(width, follows_unit(a) || follows_unit(b));
    }
    if (by.min == by.max) {
        return cx_form_div(&ev->vars, &x, INT64_C(1) << by.min);
    }
    return interval_of(x.min >> (x.min < 0 ? by.min : by.max), x.max >> (x.max < 0 ? by.max : by.min), a, b);
}

/* Number of zero bits that all values of the form surely end with. */
static unsigned trailing_zeros(const struct cx_form *f)
{
    uint64_t all = f->lo == f->hi ? (uint64_t)f->lo : 1;

    for (unsigned i = 0; i < f->nterm; i++) {
        all |= (uint64_t)f->term[i].k;
    }
    return all ? (unsigned)__builtin_ctzll(all) : 63;
}

/* All bits of `low` lie below the lowest bit that `high` can have. */
static bool no_common_bit(const struct cx_form *high, const struct cx_form *low)
{
    unsigned zeros = trailing_zeros(high);

    return low->max < INT64_C(1) << (zeros < 62 ? zeros : 62);
}

static int64_t ones_above(int64_t value)
{
    return value <= 0 ? 0 : (int64_t)(~UINT64_C(0) >> __builtin_clzll((uint64_t)value));
}

/* The value rounded down to a multiple of a power of two. */
static struct cx_form without_low(struct cx_eval *ev, const struct cx_form *a, int64_t power, unsigned width)
{
    struct cx_form f = cx_form_div(&ev->vars, a, power), by = cx_form_const(power);

    return cx_form_mul(&ev->vars, &f, &by, width);
}

static struct cx_form and_mask(struct cx_eval *ev, const struct cx_form *a, int64_t mask, unsigned width)
{
    struct cx_form x;
    int64_t low;

    if (mask >= 0 && (mask & (mask + 1)) == 0 && mask < INT64_MAX) { /* the low bits */
        if (cx_form_is_unbounded(a)) {
            x = cx_form_interval(0, mask);
            x.loose = follows_unit(a);
            return x;
        }
        return cx_form_mod(&ev->vars, a, mask + 1);
    }
    if (mask < 0 && mask > INT64_MIN / 2 && (-mask & (-mask - 1)) == 0 && !cx_form_is_unbounded(a)) {
        return without_low(ev, a, -mask, width); /* all but the low bits */
    }
    low = mask & -mask;
    if (mask > 0 && mask < INT64_MAX / 2 && ((mask + low) & mask) == 0 && !cx_form_is_unbounded(a)) {
        x = cx_form_mod(&ev->vars, a, mask + low); /* neighbouring bits */
        return without_low(ev, &x, low, width);
    }
    if (mask >= 0) {
        x = cx_form_interval(0, mask);
        x.loose = follows_unit(a);
        return x;
    }
    return cx_form_top(width, follows_unit(a));
}

/* high | low or high ^ low, both at least 0: only the bits that low has room for change. */
static struct cx_form change_low(struct cx_eval *ev, enum cx_expr_op op, const struct cx_form *high,
                                 const struct cx_form *low, unsigned width)
{
    int64_t room = ones_above(low->max), most;
    struct cx_form any = cx_form_interval(0, room), f;

    if (room >= INT64_MAX / 2) {
        return cx_form_top(width, follows_unit(high) || follows_unit(low));
    }
    f = without_low(ev, high, room + 1, width);
    f = cx_form_add(&ev->vars, &f, &any, 1, width);
    f.loose |= follows_unit(low);
    most = ones_above(high->max | low->max);
    if (most - high->max > low->max) { /* no more than the sum */
        most = high->max + low->max;
    }
    return cx_form_clip(f, op == CX_EXPR_OR ? high->min : 0, most);
}

static struct cx_form bits(struct cx_eval *ev, enum cx_expr_op op, const struct cx_form *a,
                           const struct cx_form *b, unsigned width)
{
    struct cx_form x, y;

    if (op == CX_EXPR_AND && cx_form_is_const(b)) {
        return and_mask(ev, a, b->lo, width);
    }
    if (op == CX_EXPR_AND && cx_form_is_const(a)) {
        return and_mask(ev, b, a->lo, width);
    }
    if (op == CX_EXPR_XOR && cx_form_is_const(b) && b->lo == -1) {
        x = cx_form_const(-1);
        return cx_form_add(&ev->vars, &x, a, -1, width);
    }
    read_as(ev, a, width, false, &x);
    read_as(ev, b, width, false, &y);
    if (x.min < 0 || y.min < 0 || x.max == INT64_MAX || y.max == INT64_MAX) {
        return cx_form_top(width, follows_unit(a) || follows_unit(b));
    }
    if (op == CX_EXPR_AND) {
        return interval_of(0, x.max < y.max ? x.max : y.max, a, b);
    }
    if (no_common_bit(&x, &y) || no_common_bit(&y, &x)) {
        return cx_form_add(&ev->vars, &x, &y, 1, width);
    }
    return x.max >= y.max ? change_low(ev, op, &x, &y, width) : change_low(ev, op, &y, &x, width);
}

static struct cx_form absolute(struct cx_eval *ev, const struct cx_form *a, unsigned width)
{
    struct cx_form x, zero = cx_form_const(0);

    read_as(ev, a, width, true, &x);
    if (cx_form_is_unbounded(&x)) {
        return cx_form_top(width, follows_unit(a));
    }
    if (x.min >= 0) {
        return x;
    }
    if (x.max <= 0) {
        return cx_form_add(&ev->vars, &zero, &x, -1, width);
    }
    return interval_of(0, -x.min > x.max ? -x.min : x.max, a, a);
}

static struct cx_form mul24(struct cx_eval *ev, const struct cx_form *a, const struct cx_form *b, bool sign,
                            unsigned width)
{
    int64_t lo = sign ? -(INT64_C(1) << 23) : 0, hi = (INT64_C(1) << (sign ? 23 : 24)) - 1;
    struct cx_form x, y;

    if (!read_as(ev, a, width, sign, &x) || !read_as(ev, b, width, sign, &y) || x.min < lo || x.max > hi ||
        y.min < lo || y.max > hi) {
        return cx_form_top(width, follows_unit(a) || follows_unit(b));
    }
    return cx_form_mul(&ev->vars, &x, &y, width);
}

static struct cx_form min_max(struct cx_eval *ev, enum cx_expr_op op, const struct cx_form *a,
                              const struct cx_form *b, unsigned width)
{
    bool sign = op == CX_EXPR_SMIN || op == CX_EXPR_SMAX, flip = op == CX_EXPR_SMAX || op == CX_EXPR_UMAX;
    struct cx_form x, y;

    read_as(ev, a, width, sign, &x);
    read_as(ev, b, width, sign, &y);
    if (!sign && width >= 64 && (x.min < 0 || y.min < 0)) {
        /* an unsigned 64-bit number past the signed range: the smaller one is still no larger than the other
         */
        const struct cx_form *known = x.min >= 0 ? &x : &y;
        if (flip || known->min < 0 || known->max == INT64_MAX) {
            return cx_form_top(width, follows_unit(a) || follows_unit(b));
        }
        return interval_of(0, known->max, a, b);
    }
    return cx_form_min(&ev->vars, &x, &y, flip, width);
}

static struct cx_form widen(struct cx_eval *ev, const struct cx_form *a, unsigned from, bool sign)
{
    struct cx_form x;

    read_as(ev, a, from, sign, &x);
    return x;
}

/* 1 where it holds, 0 where not; all items of the units may agree on that. */
static struct cx_form compare(struct cx_eval *ev, enum cx_expr_op op, const struct cx_form *a,
                              const struct cx_form *b, unsigned width)
{
    const bool sign = op != CX_EXPR_ULESS;
    struct cx_form x, y, d;

    if (ev->assume || !read_as(ev, a, width, sign, &x) || !read_as(ev, b, width, sign, &y)) {
        return interval_of(0, 1, a, b);
    }
    d = cx_form_add(&ev->vars, &x, &y, -1, 64);
    if (op == CX_EXPR_EQUAL ? d.min == 0 && d.max == 0 : d.max < 0) {
        return cx_form_const(1);
    }
    if (op == CX_EXPR_EQUAL ? d.min > 0 || d.max < 0 : d.min >= 0) {
        return cx_form_const(0);
    }
    return interval_of(0, 1, a, b);
}

/* Either of the two that `both` joins, or the one that all items choose. */
static struct cx_form choose(const struct cx_form *form, const struct cx_expr *pair,
                             const struct cx_form *both, const struct cx_form *when)
{
    struct cx_form either = *both;

    if (cx_form_is_const(when)) {
        return when->lo ? form[pair->a] : form[pair->b];
    }
    either.loose |= when->loose;
    return either;
}

static struct cx_form operation(struct cx_eval *ev, const struct cx_form *form, uint32_t node)
{
    const struct cx_expr *expr = ev->launch.kernel->expr, *e = &expr[node];
    const struct cx_form *a = &form[e->a], *b = cx_expr_operands(e->op) > 1 ? &form[e->b] : a;
    bool sign = e->op == CX_EXPR_SDIV || e->op == CX_EXPR_SREM;
    struct cx_form x, y;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_ADD:
    case CX_EXPR_SUB:
        return cx_form_add(&ev->vars, a, b, e->op == CX_EXPR_ADD ? 1 : -1, e->width);
    case CX_EXPR_MUL:
        return cx_form_mul(&ev->vars, a, b, e->width);
    case CX_EXPR_UDIV:
    case CX_EXPR_SDIV:
    case CX_EXPR_UREM:
    case CX_EXPR_SREM:
        read_as(ev, a, e->width, sign, &x);
        read_as(ev, b, e->width, sign, &y);
        return divide(ev, &x, &y, e->op == CX_EXPR_UREM || e->op == CX_EXPR_SREM, e->width, node);
    case CX_EXPR_SHL:
    case CX_EXPR_LSHR:
    case CX_EXPR_ASHR:
        return shift(ev, e->op, a, b, e->width);
    case CX_EXPR_AND:
    case CX_EXPR_OR:
    case CX_EXPR_XOR:
        return bits(ev, e->op, a, b, e->width);
    case CX_EXPR_SMIN:
    case CX_EXPR_SMAX:
    case CX_EXPR_UMIN:
    case CX_EXPR_UMAX:
        return min_max(ev, e->op, a, b, e->width);
    case CX_EXPR_ABS:
        return absolute(ev, a, e->width);
    case CX_EXPR_UNION:
        return cx_form_union(&ev->vars, a, b, e->width);
    case CX_EXPR_SEXT:
    case CX_EXPR_ZEXT:
        return widen(ev, a, expr[e->a].width, e->op == CX_EXPR_SEXT);
    case CX_EXPR_TRUNC:
        return *a;
    case CX_EXPR_CHOICE:
        return choose(form, &expr[e->a], a, b);
    case CX_EXPR_ULESS:
    case CX_EXPR_SLESS:
    case CX_EXPR_EQUAL:
        return compare(ev, e->op, a, b, expr[e->a].width);
    default:
        return mul24(ev, a, b, e->op == CX_EXPR_SMUL24, e->width);
    }
}

static struct cx_form evaluate(struct cx_eval *ev, const struct cx_form *form, uint32_t node)
{
    const struct cx_expr *e = &ev->launch.kernel->expr[node];

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_CONST:
        return cx_form_const(e->imm);
    case CX_EXPR_ARG:
        return arg_value(ev, e);
    case CX_EXPR_IMAGE:
        return image_value(ev, e);
    case CX_EXPR_OPAQUE:
        return unknown(ev, node);
    case CX_EXPR_RANGE:
        return range_value(ev, form, node);
    case CX_EXPR_LOOP:
        return loop_value(ev, form, node);
    case CX_EXPR_DECAY:
        return decay_value(ev, form, node);
    default:
        return e->op < CX_EXPR_OPAQUE ? work_item(ev, e) : operation(ev, form, node);
    }
}

void cx_eval_nodes(struct cx_eval *ev, struct cx_form *form, const uint8_t *needed, uint32_t upto)
{
    for (uint32_t i = 0; i <= upto && i < ev->launch.kernel->nexpr; i++) {
        if (!needed || needed[i]) {
            form[i] = evaluate(ev, form, i);
        }
    }
}

void cx_eval_mark(struct cx_eval *ev, int32_t node, bool clear)
{
    const struct cx_expr *expr = ev->launch.kernel->expr;

    if (clear) {
        memset(ev->needed, 0, ev->launch.kernel->nexpr);
    }
    ev->needed[node] = 1;
    for (int32_t i = node; i >= 0; i--) {
        unsigned n = ev->needed[i] ? cx_expr_operands(expr[i].op) : 0;
        if (n >= 1) {
            ev->needed[expr[i].a] = 1;
        }
        if (n >= 2) {
            ev->needed[expr[i].b] = 1;
        }
    }
}

size_t cx_eval_size(const struct cx_summary_kernel *k)
{
    size_t n = k->nexpr, loops = k->nloop;
    size_t bytes = 2 * n * sizeof(struct cx_form) + (n + loops) * sizeof(int16_t) + n + loops;

    return (bytes + 15) & ~(size_t)15;
}

void cx_eval_init(struct cx_eval *ev, const struct cx_launch *launch, void *memory)
{
    uint32_t n = launch->kernel->nexpr;
    const struct cx_expr *expr = launch->kernel->expr;
    bool parts[3] = {false, false, false};

    ev->launch = *launch;
    ev->form = memory;
    ev->scratch = ev->form + n;
    ev->node_var = (int16_t *)(ev->scratch + n);
    ev->loop_var = ev->node_var + n;
    ev->needed = (uint8_t *)(ev->loop_var + launch->kernel->nloop);
    ev->loop_state = ev->needed + n;
    for (uint32_t i = 0; i < n; i++) {
        if (expr[i].op == CX_EXPR_LOCAL_ID || expr[i].op == CX_EXPR_GROUP_ID) {
            parts[expr[i].a] = true;
        }
    }
    for (unsigned d = 0; d < 3; d++) {
        ev->joined[d] = d != launch->dim && !parts[d];
    }
}

void cx_eval_run(struct cx_eval *ev, int64_t first, int64_t last)
{
    uint32_t n = ev->launch.kernel->nexpr, loops = ev->launch.kernel->nloop;

    memset(ev->node_var, 0xff, n * sizeof(*ev->node_var));
    memset(ev->loop_var, 0xff, loops * sizeof(*ev->loop_var));
    memset(ev->loop_state, CX_LOOP_NEW, loops);
    memset(ev->id_var, 0xff, sizeof(ev->id_var));
    ev->assume = false;
    ev->vars.count = 0;
    cx_eval_new_var(ev, CX_VAR_UNIT, first, last, true);
    if (loops) {
        cx_eval_loops(ev);
    }
    cx_eval_nodes(ev, ev->form, NULL, n ? n - 1 : 0);
}
