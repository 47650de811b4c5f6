/* SPDX-License-Identifier: MIT */
/*
 * Stores that race: different ones that may write unlike values to one place from different work-groups. On
 * one device the order in which groups begin usually decides which value stays; after a split, chance would.
 *
 * Two stores do not race where they write the same value; where a work-item makes both at one place, so that
 * what counts of each item is its last; or where they are apart, by their shapes, by bits of their offsets
 * that no item changes, or by what their offsets leave when divided by one number: a struct's fields, of
 * which no two lie a multiple of its size apart; or by what indices and guards say together (delinear.c).
 *
 * Previous stage: protocol.c, where an object is to be merged.
 */
#include "layer/access/bits.h"
#include "layer/access/access_inside.h"
#include "layer/access/number.h"

#include <stdlib.h>

/* A whole number that is `rest` plus a multiple of `step`; step 0: it is `rest`. Arithmetic is taken not to
 * wrap around: an index that does would be far outside of any buffer, or not be multiplied afterwards. */
struct residue {
    int64_t step, rest; /* 0 <= rest < step, where step is not 0 */
};

static const struct residue any = {1, 0};

static struct residue reduced(int64_t step, int64_t rest)
{
    return step ? (struct residue){step, (rest % step + step) % step} : (struct residue){0, rest};
}

/* Numbers far beyond any buffer would only overflow. */
static bool is_small(struct residue x)
{
    const int64_t most = INT64_C(1) << 30;

    return x.step < most && x.rest < most && x.rest > -most;
}

static struct residue sum(struct residue x, struct residue y, int sign)
{
    return reduced(cx_number_gcd(x.step, y.step), x.rest + sign * y.rest);
}

static struct residue product(struct residue x, struct residue y)
{
    int64_t step = cx_number_gcd(cx_number_gcd(x.step * y.step, x.step * y.rest), y.step * x.rest);

    return reduced(step, x.rest * y.rest);
}

/* One of the two. */
static struct residue either(struct residue x, struct residue y)
{
    return reduced(cx_number_gcd(cx_number_gcd(x.step, y.step), x.rest - y.rest), x.rest);
}

/* x with bits set that are not set in it, or any number. */
static struct residue with_bits(struct residue x, struct residue y)
{
    int64_t low = x.step & -x.step;

    return y.step == 0 && y.rest >= 0 && y.rest < low && x.rest % low == 0 ? sum(x, y, 1) : any;
}

static struct residue of_operands(const struct cx_expr *e, struct residue x, struct residue y)
{
    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_ADD:
        return sum(x, y, 1);
    case CX_EXPR_SUB:
        return sum(x, y, -1);
    case CX_EXPR_MUL:
    case CX_EXPR_SMUL24:
    case CX_EXPR_UMUL24:
        return product(x, y);
    case CX_EXPR_SHL:
        return y.step == 0 && y.rest >= 0 && y.rest < 30
                   ? product(x, (struct residue){0, INT64_C(1) << y.rest})
                   : any;
    case CX_EXPR_OR:
        return x.step ? with_bits(x, y) : with_bits(y, x);
    case CX_EXPR_UREM:
    case CX_EXPR_SREM:
        return y.step == 0 ? reduced(cx_number_gcd(x.step, y.rest), x.rest) : any;
    case CX_EXPR_AND:
        return y.step == 0 && y.rest ? reduced(y.rest & -y.rest, 0) : any;
    case CX_EXPR_UNION:
    case CX_EXPR_SMIN:
    case CX_EXPR_SMAX:
    case CX_EXPR_UMIN:
    case CX_EXPR_UMAX:
        return either(x, y);
    case CX_EXPR_SEXT:
    case CX_EXPR_ZEXT:
    case CX_EXPR_TRUNC:
    case CX_EXPR_CHOICE:
        return x;
    default:
        return any;
    }
}

static struct residue of_node(const struct cx_access *a, int32_t node, const struct residue *below)
{
    const struct cx_expr *e = &a->launch.kernel->expr[node];
    const struct cx_form *form = &a->eval.form[node];
    unsigned n = cx_expr_operands(e->op);
    struct residue x = n >= 1 ? below[e->a] : any, y = n >= 2 ? below[e->b] : any, result = any;

    if (cx_form_is_const(form)) {
        result = (struct residue){0, form->lo};
    } else if (e->op == CX_EXPR_LOOP) {
        result = reduced(cx_number_gcd(x.step, cx_number_gcd(y.step, y.rest)), x.rest);
    } else {
        result = of_operands(e, x, y);
    }
    return is_small(result) ? result : any;
}

/* The residues of all nodes that a place may be made of; NULL: no memory. The caller frees. */
static struct residue *find_residues(const struct cx_access *a)
{
    uint32_t n = a->launch.kernel->nexpr;
    struct residue *residue = malloc((n + 1) * sizeof(*residue));

    for (uint32_t i = 0; residue && i < n; i++) {
        residue[i] = of_node(a, (int32_t)i, residue);
    }
    return residue;
}

struct search {
    struct cx_access *a;
    struct residue *residue; /* by node, like the next */
    struct cx_bits *bits;
    unsigned proofs; /* that may still be looked for by delinear.c */
};

enum { PROOFS = 32 };

/* How far apart the places are that a record's offset may have: whole multiples of this. 0: there is one. */
static int64_t step_of(const struct search *s, const struct cx_access_record *r)
{
    return r->off < 0 || r->len >= 0 ? 1 : s->residue[r->off].step;
}

static bool fits_in(int64_t step, int64_t bytes)
{
    return step == 0 || bytes <= step;
}

/* Where in each `step` bytes of the object the record's bytes lie. */
static bool apart_by_rest(const struct search *s, const struct cx_access_record *x,
                          const struct cx_access_record *y)
{
    const struct cx_access_arg *args = s->a->args;
    int64_t step = cx_number_gcd(step_of(s, x), step_of(s, y)), distance;

    if (step == 1 || x->off < 0 || y->off < 0 || !fits_in(step, (int64_t)x->size) ||
        !fits_in(step, (int64_t)y->size)) {
        return false;
    }
    distance = s->residue[y->off].rest - s->residue[x->off].rest + (int64_t)args[y->arg].base -
               (int64_t)args[x->arg].base + y->skew - x->skew;
    if (step == 0) {
        return distance >= (int64_t)x->size || -distance >= (int64_t)y->size;
    }
    distance = (distance % step + step) % step;
    return distance >= (int64_t)x->size && distance + (int64_t)y->size <= step;
}

/* The same by bits that all work-items have in common. */
static bool apart_by_bits(const struct search *s, const struct cx_access_record *x,
                          const struct cx_access_record *y)
{
    const struct cx_access_arg *args = s->a->args;

    if (x->off < 0 || y->off < 0 || x->len >= 0 || y->len >= 0) {
        return false;
    }
    return cx_bits_apart(cx_bits_add(s->bits[x->off], (int64_t)args[x->arg].base + x->skew),
                         cx_bits_add(s->bits[y->off], (int64_t)args[y->arg].base + y->skew),
                         x->size > y->size ? x->size : y->size);
}

/* Both of one work-item begin at one place, and what others write there is the same bytes or none. */
static bool at_one_place(const struct search *s, const struct cx_access_record *x,
                         const struct cx_access_record *y)
{
    int64_t from = x->skew < y->skew ? x->skew : y->skew;
    int64_t to = x->skew + (int64_t)x->size, end = y->skew + (int64_t)y->size;

    if (!x->place || x->place != y->place || x->arg != y->arg || x->off != y->off) {
        return false;
    }
    if (x->skew == y->skew && x->size == y->size && !((x->flags | y->flags) & CX_ACCESS_SEVERAL)) {
        return true;
    }
    return x->len < 0 && y->len < 0 && fits_in(step_of(s, x), (end > to ? end : to) - from);
}

bool cx_access_shapes_apart(const struct cx_access *a, uint32_t arg_x, const struct cx_shape *x,
                            uint32_t arg_y, const struct cx_shape *y)
{
    int64_t by = (int64_t)a->args[arg_y].base - (int64_t)a->args[arg_x].base;
    struct cx_bound bx, by_bound;

    if (cx_shape_apart(x, y, by) != CX_APART_NOT) {
        return true;
    }
    bx = cx_shape_bound(x);
    by_bound = cx_shape_bound(y);
    by_bound.lo = cx_sat_add(by_bound.lo, by);
    by_bound.hi = cx_sat_add(by_bound.hi, by);
    by_bound.min = cx_sat_add(by_bound.min, by);
    by_bound.max = cx_sat_add(by_bound.max, by);
    return cx_proof_apart(&bx, &by_bound, a->launch.units) && cx_proof_apart(&by_bound, &bx, a->launch.units);
}

static bool race(struct search *s, uint32_t i, uint32_t j)
{
    const struct cx_access_record *x = &s->a->launch.kernel->access[i], *y = x - i + j;
    const struct cx_shape *shape;

    if ((x->store == y->store && !((x->flags | y->flags) & CX_ACCESS_SEVERAL)) || at_one_place(s, x, y) ||
        apart_by_rest(s, x, y) || apart_by_bits(s, x, y)) {
        return false;
    }
    shape = cx_access_shape(s->a, i);
    if (shape) {
        const struct cx_shape *other = cx_access_shape(s->a, j);
        if (other && cx_access_shapes_apart(s->a, x->arg, shape, y->arg, other)) {
            return false;
        }
    }
    return s->proofs == 0 || (s->proofs--, !cx_access_items_apart(s->a, x, y));
}

static bool writes(const struct cx_access *a, uint32_t i, uint64_t object)
{
    const struct cx_access_record *r = &a->launch.kernel->access[i];

    return r->mode == CX_MODE_WRITE && a->args[r->arg].object == object && !a->bound[i].empty;
}

/* Whether there is anything to be looked at. */
static bool differ(const struct cx_access *a, uint64_t object)
{
    uint32_t store = 0;

    for (uint32_t i = 0; i < a->launch.kernel->naccess; i++) {
        const struct cx_access_record *r = &a->launch.kernel->access[i];
        if (!writes(a, i, object)) {
            continue;
        }
        if (r->flags & CX_ACCESS_SEVERAL || (store && store != r->store)) {
            return true;
        }
        store = r->store;
    }
    return false;
}

bool cx_access_stores_race(struct cx_access *a, uint64_t object, struct cx_fault *fault)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    struct search s = {.a = a, .proofs = PROOFS};
    bool found = false;

    if (!differ(a, object)) {
        return false;
    }
    s.residue = find_residues(a);
    s.bits = cx_bits_find(&a->launch);
    for (uint32_t j = 0; j < k->naccess && !found; j++) {
        for (uint32_t i = 0; writes(a, j, object) && i <= j && !found; i++) {
            if (writes(a, i, object) && (!s.residue || !s.bits || race(&s, i, j))) {
                found = true;
                *fault = (struct cx_fault){CX_REASON_STORES_RACE, &k->access[i],
                                           i == j ? k->access[i].other : k->access[j].line};
            }
        }
    }
    free(s.residue);
    free(s.bits);
    return found;
}
