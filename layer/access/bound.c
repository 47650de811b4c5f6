/* SPDX-License-Identifier: MIT */
/*
 * One access: its guards narrow the variables, then its offset becomes an interval that follows the unit.
 *
 * A guard over one variable clamps that variable. One over several (gid < n, where gid is group * size +
 * local id) clamps each as far as the others allow, and, where the offset holds the same sum (times a
 * factor), stands in for it as one new variable.
 */
#include "layer/access/stride.h"
#include "layer/access/number.h"

#include <stdlib.h>

#define MAX_CONDITIONS 24
#define MAX_SUMS       8 /* new variables for sums */

struct narrowing {
    struct cx_vars vars;
    struct cx_form condition[MAX_CONDITIONS];
    bool used[MAX_CONDITIONS]; /* does not stand in the way of exactness (any more) */
    unsigned count;
    bool exact, empty, narrowed;
    unsigned unit_var; /* the variable that holds the unit after sums were replaced */
    /* room, so that threads need little stack */
    struct cx_vars saved;
    struct cx_form kept[MAX_CONDITIONS], part[4];
    bool kept_used[MAX_CONDITIONS];
};

static int64_t ceil_div_negative(int64_t k, int64_t limit)
{
    /* smallest t with k * t <= limit, k < 0 */
    return -cx_floor_div(limit, -k);
}

/* k * t <= limit */
static void clamp(struct narrowing *n, unsigned var, int64_t k, int64_t limit)
{
    struct cx_var *v = &n->vars.var[var];

    if (k == INT64_MIN || limit == INT64_MIN || limit == INT64_MAX) {
        return;
    }
    if (k > 0) {
        int64_t hi = cx_floor_div(limit, k);
        n->narrowed |= hi < v->hi;
        v->hi = hi < v->hi ? hi : v->hi;
    } else {
        int64_t lo = ceil_div_negative(k, limit);
        n->narrowed |= lo > v->lo;
        v->lo = lo > v->lo ? lo : v->lo;
    }
    n->empty |= v->lo > v->hi;
}

/* Clamps each variable of a condition as far as the others, at their best, allow. */
static void propagate(struct narrowing *n, const struct cx_form *f)
{
    for (unsigned i = 0; i < f->nterm && !n->empty; i++) {
        struct cx_form rest = *f;
        int64_t lo, hi;
        rest.term[i] = rest.term[--rest.nterm];
        cx_form_hull(&n->vars, &rest, &lo, &hi);
        if (lo != INT64_MIN && lo != INT64_MAX) {
            clamp(n, f->term[i].var, f->term[i].k, -lo);
        }
    }
}

static void add_condition(struct narrowing *n, const struct cx_form *f, bool hint)
{
    if (f->min > 0) {
        n->empty = true;
    }
    if (f->max <= 0) {
        return;
    }
    if (n->count == MAX_CONDITIONS || f->nterm == 0) {
        n->exact &= hint;
        return;
    }
    for (unsigned i = 0; i < f->nterm; i++) { /* whether it holds may depend on what is not known */
        n->exact &= hint || n->vars.var[f->term[i].var].exact;
    }
    n->condition[n->count] = *f;
    /* one variable and no slack: the clamp says the same */
    n->used[n->count++] = hint || (f->nterm == 1 && f->lo == f->hi);
}

static void collect(struct cx_eval *ev, const struct cx_access_record *r, struct narrowing *n)
{
    for (uint32_t i = 0; i < r->nguard; i++) {
        const struct cx_guard *g = &ev->launch.kernel->guard[r->guard + i];
        struct cx_conditions c;
        cx_eval_guard(ev, ev->form, g, &c);
        n->exact &= c.complete || g->hint;
        for (unsigned j = 0; j < c.count; j++) {
            add_condition(n, &c.f[j], g->hint);
        }
    }
    for (unsigned round = 0; round < 3 && !n->empty; round++) {
        for (unsigned i = 0; i < n->count && !n->empty; i++) {
            propagate(n, &n->condition[i]);
        }
    }
}

/* Whether the sum takes on every whole number between its least and its greatest value, if its variables do.
 */
static bool is_dense(const struct narrowing *n, const struct cx_form *f, int64_t size, unsigned last_var)
{
    bool done[CX_FORM_TERMS] = {false};
    int64_t span = size;

    for (unsigned round = 0; round < f->nterm; round++) {
        unsigned best = CX_FORM_TERMS;
        const struct cx_var *v;
        for (unsigned i = 0; i < f->nterm; i++) {
            if (!done[i] &&
                (best == CX_FORM_TERMS || cx_number_size(f->term[i].k) < cx_number_size(f->term[best].k))) {
                best = i;
            }
        }
        done[best] = true;
        v = &n->vars.var[f->term[best].var];
        if (!v->exact) {
            return false;
        }
        /* a run of units may be short: no larger step may build on its length */
        if ((v->lo < v->hi || f->term[best].var == last_var) && cx_number_size(f->term[best].k) > span) {
            return false;
        }
        if (f->term[best].var == last_var) {
            for (unsigned i = 0; i < f->nterm; i++) {
                if (!done[i] && n->vars.var[f->term[i].var].lo < n->vars.var[f->term[i].var].hi) {
                    return false;
                }
            }
        }
        span = cx_sat_add(span, cx_sat_mul(cx_number_size(f->term[best].k), v->hi - v->lo));
    }
    return true;
}

/* The factor by which `sum`'s terms are all in f; 0 where they are not. */
static int64_t common_factor(const struct cx_form *f, const struct cx_form *sum)
{
    int64_t factor = 0;

    for (unsigned i = 0; i < sum->nterm; i++) {
        int64_t k = cx_form_factor(f, sum->term[i].var);
        if (k == 0 || k % sum->term[i].k != 0 || (i > 0 && k / sum->term[i].k != factor)) {
            return 0;
        }
        factor = k / sum->term[i].k;
    }
    return factor;
}

/* Puts factor * var in place of the sum's terms. */
static void replace(struct cx_form *f, const struct cx_form *sum, int64_t factor, unsigned var)
{
    for (unsigned i = 0; i < sum->nterm; i++) {
        for (unsigned j = 0; j < f->nterm; j++) {
            if (f->term[j].var == sum->term[i].var) {
                f->term[j] = f->term[--f->nterm];
                break;
            }
        }
    }
    f->term[f->nterm++] = (struct cx_term){var, factor};
}

/* A condition's variable part, divided by what all factors have in common. */
static struct cx_form sum_of(const struct cx_form *condition)
{
    struct cx_form sum = {.nterm = condition->nterm};
    int64_t divisor = 0;

    for (unsigned i = 0; i < condition->nterm; i++) {
        divisor = cx_number_gcd(divisor, condition->term[i].k);
    }
    for (unsigned i = 0; i < condition->nterm; i++) {
        sum.term[i] = (struct cx_term){condition->term[i].var, condition->term[i].k / divisor};
    }
    return sum;
}

static bool holds_unit(const struct narrowing *n, const struct cx_form *sum)
{
    return cx_form_factor(sum, 0) != 0 || cx_form_factor(sum, n->unit_var) != 0;
}

/* A new variable for the sum, with the range its parts give; -1 where there is no room. */
static int new_sum(struct narrowing *n, const struct cx_form *sum)
{
    struct cx_var v = {.kind = CX_VAR_ID};

    if (n->vars.count == CX_MAX_VARS) {
        return -1;
    }
    cx_form_hull(&n->vars, sum, &v.lo, &v.hi);
    if (v.lo == INT64_MIN || v.hi == INT64_MAX) {
        return -1;
    }
    v.exact = is_dense(n, sum, 1, holds_unit(n, sum) ? n->unit_var : CX_MAX_VARS);
    n->vars.var[n->vars.count] = v;
    return (int)n->vars.count++;
}

/*
 * Replaces in the offset (and in the other conditions) the sum that condition `which` is about by one
 * variable and clamps that. With keep_unit a sum that holds the unit stays.
 */
static void fold_sum(struct narrowing *n, struct cx_form *offset, unsigned which, bool keep_unit)
{
    struct cx_form sum = sum_of(&n->condition[which]);
    int64_t factor = common_factor(offset, &sum);
    int var;

    if (n->condition[which].nterm < 2 || factor == 0 || (keep_unit && holds_unit(n, &sum))) {
        return;
    }
    var = new_sum(n, &sum);
    if (var < 0) {
        return;
    }
    if (holds_unit(n, &sum)) {
        n->unit_var = (unsigned)var;
    }
    replace(offset, &sum, factor, (unsigned)var);
    for (unsigned i = 0; i < n->count; i++) {
        struct cx_form *c = &n->condition[i];
        int64_t by = common_factor(c, &sum);
        if (by == 0) {
            continue;
        }
        replace(c, &sum, by, (unsigned)var);
        if (c->nterm == 1) {
            clamp(n, (unsigned)var, by, c->lo == INT64_MIN ? INT64_MAX : -c->lo);
            n->used[i] |= c->lo == c->hi;
        }
    }
}

/* The offset with the narrowed variables; evaluated once more where that may tell more. */
static struct cx_form offset_form(struct cx_eval *ev, int32_t node, struct narrowing *n)
{
    const struct cx_form *f = &ev->form[node];

    if (!n->narrowed || (f->lo == f->hi && !f->loose && !cx_form_is_unbounded(f))) {
        return *f;
    }
    n->saved = ev->vars;
    ev->vars = n->vars;
    cx_eval_mark(ev, node, true);
    cx_eval_nodes(ev, ev->scratch, ev->needed, (uint32_t)node);
    n->vars = ev->vars; /* it may have made new variables, whose ranges hold for this access alone */
    cx_eval_forget_vars(ev, n->saved.count);
    ev->vars = n->saved;
    return ev->scratch[node];
}

/* What is left of the form without the unit. */
static void rest_hull(const struct cx_vars *vars, const struct cx_form *f, int64_t *lo, int64_t *hi)
{
    struct cx_form rest = *f;

    for (unsigned i = 0; i < rest.nterm; i++) {
        if (rest.term[i].var == 0) {
            rest.term[i] = rest.term[--rest.nterm];
            break;
        }
    }
    cx_form_hull(vars, &rest, lo, hi);
}

/* Folds the conditions' sums into a copy of the offset; the conditions are as before afterwards, unless keep
 * is set. */
static struct cx_form fold_all(struct narrowing *n, const struct cx_form *offset, bool keep_unit, bool keep)
{
    struct cx_form f = *offset;
    unsigned most = n->vars.count + MAX_SUMS;

    for (unsigned i = 0; i < n->count; i++) {
        n->kept[i] = n->condition[i];
        n->kept_used[i] = n->used[i];
    }
    for (unsigned i = 0; i < n->count && n->vars.count < most; i++) {
        fold_sum(n, &f, i, keep_unit);
    }
    for (unsigned i = 0; !keep && i < n->count; i++) {
        n->condition[i] = n->kept[i];
        n->used[i] = n->kept_used[i];
    }
    return f;
}

/* Where an access begins; sets all of the bound but what depends on its size. Returns the form with all sums
 * folded. */
static struct cx_form place(struct narrowing *n, const struct cx_form *offset, struct cx_bound *bound)
{
    struct cx_form moving = fold_all(n, offset, true, false), all;

    rest_hull(&n->vars, &moving, &bound->lo, &bound->hi);
    bound->s = cx_form_factor(&moving, 0);
    all = fold_all(n, offset, false, true);
    cx_form_hull(&n->vars, &all, &bound->min, &bound->max);
    bound->min = bound->min > offset->min ? bound->min : offset->min;
    bound->max = bound->max < offset->max ? bound->max : offset->max;
    bound->first = n->vars.var[0].lo;
    bound->last = n->vars.var[0].hi;
    bound->loose = offset->loose;
    for (unsigned i = 0; i < n->count; i++) {
        bound->loose |= n->condition[i].loose;
    }
    /* an index that may wrap around is lost in a slack as wide as its type */
    bound->guessed = cx_sat_add(offset->hi, cx_sat_mul(-1, offset->lo)) > INT32_MAX;
    for (unsigned i = 0; i < offset->nterm; i++) {
        bound->guessed |= n->vars.var[offset->term[i].var].kind == CX_VAR_OPAQUE;
    }
    return all;
}

/* Bytes from the offset on: the record's size and its variable length; false where not known. */
static bool length_of(struct cx_eval *ev, const struct cx_access_record *r, struct narrowing *n,
                      int64_t *bytes)
{
    struct cx_form *len = &n->part[0], *f = &n->part[1];

    *bytes = (int64_t)r->size;
    if (r->len < 0) {
        return true;
    }
    *len = offset_form(ev, r->len, n);
    if (!cx_form_read(len, 64, false, f)) {
        return false;
    }
    n->exact &= cx_form_is_const(f);
    *bytes = cx_sat_add(*bytes, f->max);
    return *bytes != INT64_MAX;
}

static void finish(struct cx_bound *b, int64_t skew, int64_t bytes)
{
    b->lo = cx_sat_add(b->lo, skew);
    b->hi = cx_sat_add(cx_sat_add(b->hi, skew), bytes);
    b->min = cx_sat_add(b->min, skew);
    b->max = cx_sat_add(cx_sat_add(b->max, skew), bytes);
    b->known = b->min != INT64_MIN && b->max != INT64_MAX && b->min <= b->max;
    if (b->lo == INT64_MIN || b->hi == INT64_MAX || b->lo > b->hi) {
        b->s = 0;
        b->lo = b->min;
        b->hi = b->max;
    }
    /* s * unit must be safe for all units */
    if (cx_sat_mul(b->s, b->last) == INT64_MAX || cx_sat_mul(b->s, b->last) == INT64_MIN) {
        b->known = false;
    }
}

static bool has_guard(const struct cx_eval *ev, const struct cx_access_record *r, const struct cx_loop *loop)
{
    const struct cx_guard *guard = ev->launch.kernel->guard, *of_loop = &guard[loop->guard];

    for (uint32_t i = 0; i < r->nguard; i++) {
        const struct cx_guard *g = &guard[r->guard + i];
        if (g->pred == of_loop->pred && g->l == of_loop->l && g->r == of_loop->r && !g->hint) {
            return true;
        }
    }
    return false;
}

/* Narrows by the access's guards; false where it is never executed. */
static bool begin(struct cx_eval *ev, const struct cx_access_record *r, struct narrowing *n)
{
    n->count = 0;
    n->empty = n->narrowed = false;
    n->unit_var = 0;
    n->exact = (r->flags & CX_ACCESS_MUST) && !(r->flags & CX_ACCESS_SPARSE);
    n->vars = ev->vars;
    for (uint32_t i = 0; i < ev->launch.kernel->nloop; i++) {
        if (ev->loop_state[i] == CX_LOOP_GUARDED && has_guard(ev, r, &ev->launch.kernel->loop[i])) {
            n->vars.var[ev->loop_var[i]].exact = true;
        }
    }
    collect(ev, r, n);
    return !n->empty;
}

static void bound_access(struct cx_eval *ev, const struct cx_access_record *r, struct narrowing *n,
                         struct cx_bound *bound)
{
    struct cx_form offset, all;
    int64_t bytes;

    begin(ev, r, n);
    if (!n->empty && (r->off < 0 || !length_of(ev, r, n, &bytes))) {
        return;
    }
    if (n->empty || bytes == 0) {
        bound->empty = bound->known = true;
        return;
    }
    offset = offset_form(ev, r->off, n);
    all = place(n, &offset, bound);
    if (n->empty) {
        bound->empty = bound->known = true;
        return;
    }
    for (unsigned i = 0; i < n->count; i++) {
        n->exact &= n->used[i];
    }
    bound->exact = n->exact && offset.lo == offset.hi && is_dense(n, &all, bytes, n->unit_var);
    finish(bound, r->skew, bytes);
}

void cx_eval_access(struct cx_eval *ev, const struct cx_access_record *r, struct cx_bound *bound)
{
    struct narrowing *n = malloc(sizeof(*n));

    *bound = (struct cx_bound){.first = ev->vars.var[0].lo, .last = ev->vars.var[0].hi};
    if (n) {
        bound_access(ev, r, n, bound);
    }
    free(n);
}

/* Parts the form: what moves less than a unit into low, the rest into steps that start at 0. */
static unsigned part(const struct narrowing *n, const struct cx_form *f, struct cx_form *low,
                     struct cx_form *high, struct cx_step *step)
{
    int64_t s = cx_number_size(cx_form_factor(f, 0));
    unsigned steps = 0;

    *low = (struct cx_form){.lo = f->lo, .hi = f->hi};
    *high = (struct cx_form){.nterm = 0};
    for (unsigned i = 0; i < f->nterm; i++) {
        const struct cx_var *v = &n->vars.var[f->term[i].var];
        if (f->term[i].var == 0 || cx_number_size(f->term[i].k) <= s || v->lo == v->hi) {
            low->term[low->nterm++] = f->term[i];
        } else {
            high->term[high->nterm++] = f->term[i];
            step[steps++] = (struct cx_step){cx_number_size(f->term[i].k),
                                             cx_sat_add(cx_sat_add(v->hi, 1), cx_sat_mul(-1, v->lo))};
        }
    }
    return steps;
}

/*
 * Whether the conditions that are left say no more than where the offset ends, the sum of all being one that
 * the condition is about; and the steps, each by itself, take on all values.
 */
static bool is_said(const struct narrowing *n, const struct cx_form *low, const struct cx_form *high)
{
    struct cx_form all = *low;

    for (unsigned i = 0; i < high->nterm; i++) {
        if (!n->vars.var[high->term[i].var].exact || all.nterm == CX_FORM_TERMS) {
            return false;
        }
        all.term[all.nterm++] = high->term[i];
    }
    for (unsigned i = 0; i < n->count; i++) {
        struct cx_form sum = sum_of(&n->condition[i]);
        if (!n->used[i] && (n->condition[i].lo != n->condition[i].hi || sum.nterm != all.nterm ||
                            common_factor(&all, &sum) == 0)) {
            return false;
        }
    }
    return true;
}

static unsigned steps_of(const struct narrowing *n, const struct cx_form *f, struct cx_step *step)
{
    unsigned steps = 0;

    for (unsigned i = 0; i < f->nterm; i++) {
        const struct cx_var *v = &n->vars.var[f->term[i].var];
        if (v->lo < v->hi) {
            step[steps++] = (struct cx_step){cx_number_size(f->term[i].k), v->hi - v->lo + 1};
        }
    }
    return steps;
}

/* Whether the low part's rows, if dense, are all touched: nothing but whole rows is cut off. */
static bool whole_rows(const struct narrowing *n, const struct cx_form *low, const struct cx_form *high,
                       int64_t row)
{
    for (unsigned i = 0; i < n->count; i++) {
        if (!n->used[i]) {
            return false;
        }
    }
    for (unsigned i = 0; i < high->nterm; i++) {
        if (!n->vars.var[high->term[i].var].exact) {
            return false;
        }
    }
    for (unsigned i = 0; i < low->nterm; i++) {
        if (!n->vars.var[low->term[i].var].exact) {
            return false;
        }
    }
    return cx_number_size(cx_form_factor(low, n->unit_var)) >= row;
}

/* Where the shape's parts lie; false where the numbers are too large. */
static bool measure(struct narrowing *n, const struct cx_form *moving, const struct cx_form *low,
                    const struct cx_form *high, int64_t from, int64_t bytes, struct cx_shape *shape)
{
    struct cx_form small = *moving;
    struct cx_step step[CX_FORM_TERMS];
    int64_t lo, hi, start, ignored;

    cx_form_hull(&n->vars, high, &start, &ignored);
    for (unsigned i = 0; i < small.nterm;) { /* all that is in low but the unit */
        if (small.term[i].var == 0 || cx_form_factor(high, small.term[i].var) != 0) {
            small.term[i] = small.term[--small.nterm];
        } else {
            i++;
        }
    }
    cx_form_hull(&n->vars, &small, &lo, &hi);
    shape->s = cx_form_factor(moving, 0);
    shape->off = cx_sat_add(cx_sat_add(lo, start), from);
    shape->run = cx_sat_add(cx_sat_add(hi, cx_sat_mul(-1, lo)), bytes);
    cx_form_hull(&n->vars, low, &lo, &hi);
    shape->low = cx_sat_add(cx_sat_add(lo, start), from);
    shape->high = cx_sat_add(cx_sat_add(cx_sat_add(hi, start), from), bytes);
    if (cx_number_is_far(shape->off) || shape->run <= 0 || cx_number_is_far(shape->run) ||
        shape->low <= -CX_NUMBER_FAR || shape->high >= CX_NUMBER_FAR || shape->low >= shape->high ||
        cx_number_is_far(start) || cx_number_is_far(shape->s)) {
        return false;
    }
    cx_shape_find_rows(shape, step, steps_of(n, &small, step), bytes + small.hi - small.lo);
    return true;
}

static bool find_shape(struct cx_eval *ev, const struct cx_access_record *r, struct narrowing *n,
                       struct cx_shape *shape)
{
    struct cx_form *offset = &n->part[0], *moving = &n->part[1], *low = &n->part[2], *high = &n->part[3];
    struct cx_step step[CX_FORM_TERMS];
    unsigned steps;
    int64_t bytes;

    if (!begin(ev, r, n) || r->off < 0 || !length_of(ev, r, n, &bytes) || bytes <= 0) {
        return false;
    }
    *offset = offset_form(ev, r->off, n);
    *moving = fold_all(n, offset, true, true);
    steps = part(n, moving, low, high, step);
    *low = fold_all(n, low, false, true);
    *shape = (struct cx_shape){.first = n->vars.var[0].lo, .last = n->vars.var[0].hi};
    if (n->empty || !measure(n, moving, low, high, r->skew, bytes, shape)) {
        return false;
    }
    shape->exact =
        n->exact && offset->lo == offset->hi && is_said(n, low, high) && is_dense(n, low, bytes, n->unit_var);
    shape->row_exact =
        shape->row_exact && n->exact && offset->lo == offset->hi && whole_rows(n, low, high, shape->row);
    for (unsigned i = 0; i < high->nterm && low->nterm < CX_FORM_TERMS; i++) {
        low->term[low->nterm++] = high->term[i];
    }
    *low = fold_all(n, low, false, true);
    cx_form_hull(&n->vars, low, &shape->min, &shape->max);
    shape->min = shape->min > offset->min ? shape->min : offset->min;
    shape->max = shape->max < offset->max ? shape->max : offset->max;
    shape->min = cx_sat_add(shape->min, r->skew);
    shape->max = cx_sat_add(cx_sat_add(shape->max, r->skew), bytes);
    return !n->empty && shape->min < shape->max && cx_shape_stack(shape, step, steps);
}

bool cx_eval_shape(struct cx_eval *ev, const struct cx_access_record *r, struct cx_shape *shape)
{
    struct narrowing *n = malloc(sizeof(*n));
    const bool found = n && find_shape(ev, r, n, shape);

    free(n);
    return found;
}
