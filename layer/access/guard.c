/* SPDX-License-Identifier: MIT */
/*
 * Guards as inequalities of forms, and trip counts of loops.
 *
 * A trip count is guessed as if nothing wrapped around and then checked: with the loop's variable in the
 * guessed range, all operands of the deciding comparison must be in range, and the comparison must fail at
 * the end of it. Then, by induction over the iterations, the loop cannot have gone on past it.
 */
#include "layer/access/eval.h"

#include <string.h>

#define MAX_TRIPS (INT64_C(1) << 40)

static bool read_both(const struct cx_eval *ev, const struct cx_form *l, const struct cx_form *r,
                      unsigned width, bool sign, struct cx_form *x, struct cx_form *y)
{
    bool fits;

    if (ev->assume) {
        *x = *l;
        *y = *r;
        return true;
    }
    fits = cx_form_read(l, width, sign, x);
    return cx_form_read(r, width, sign, y) && fits;
}

/* Appends a - b + more <= 0. */
static void require(struct cx_eval *ev, struct cx_conditions *out, const struct cx_form *a,
                    const struct cx_form *b, int64_t more)
{
    struct cx_form f = cx_form_add(&ev->vars, a, b, -1, 64), by = cx_form_const(more);

    out->f[out->count++] = cx_form_add(&ev->vars, &f, &by, 1, 64);
}

/* a < b, or a <= b where orequal, as unsigned numbers */
static void unsigned_less(struct cx_eval *ev, struct cx_conditions *out, const struct cx_form *a,
                          const struct cx_form *b, unsigned width, bool or_equal)
{
    struct cx_form x, y, zero = cx_form_const(0);

    if (read_both(ev, a, b, width, false, &x, &y)) {
        require(ev, out, &x, &y, !or_equal);
        return;
    }
    /* below a number that has no sign bit: neither has it one */
    read_both(ev, a, b, width, true, &x, &y);
    if (y.min >= 0) {
        require(ev, out, &x, &y, !or_equal);
        require(ev, out, &zero, &x, 0);
    } else {
        out->complete = false;
    }
}

static void not_equal(struct cx_eval *ev, struct cx_conditions *out, const struct cx_form *x,
                      const struct cx_form *y)
{
    struct cx_form d = cx_form_add(&ev->vars, x, y, -1, 64);

    if (d.min > 0 || d.max < 0) {
        return;
    }
    if (d.min == 0) {
        require(ev, out, y, x, 1);
    } else if (d.max == 0) {
        require(ev, out, x, y, 1);
    } else {
        out->complete = false;
    }
}

/*
 * Whether the choice "p < q ? x : y" is the smaller of x and y, or the larger: x - y is what p - q is, or one
 * more, or the same of q - p. All are numbers in range, so that nothing wraps.
 */
static bool chooses(struct cx_eval *ev, const struct cx_form *form, const struct cx_expr *choice, bool larger,
                    const struct cx_form *x, const struct cx_form *y)
{
    const struct cx_expr *expr = ev->launch.kernel->expr, *when = &expr[choice->b];
    struct cx_form p, q, by, d;

    if (when->op != CX_EXPR_SLESS && when->op != CX_EXPR_ULESS) {
        return false;
    }
    const unsigned width = expr[when->a].width;
    const bool sign = when->op == CX_EXPR_SLESS;
    if (!cx_form_read(&form[when->a], width, sign, &p) || !cx_form_read(&form[when->b], width, sign, &q)) {
        return false;
    }
    d = cx_form_add(&ev->vars, x, y, -1, 64);
    by = cx_form_add(&ev->vars, &p, &q, -1, 64);
    d = cx_form_add(&ev->vars, &d, &by, larger ? 1 : -1, 64);
    return cx_form_is_const(&d) && (larger ? d.lo == 0 || d.lo == -1 : d.lo == 0 || d.lo == 1);
}

/* The two numbers of which the node is the smaller, or the larger, one. */
static bool is_extreme(struct cx_eval *ev, const struct cx_form *form, int32_t node, bool larger,
                       struct cx_form *x, struct cx_form *y)
{
    const struct cx_expr *expr = ev->launch.kernel->expr, *e = &expr[node], *pair = e;

    if (ev->assume) {
        return false;
    }
    if (e->op == CX_EXPR_CHOICE) {
        pair = &expr[e->a];
    } else if (e->op != (larger ? CX_EXPR_SMAX : CX_EXPR_SMIN)) {
        return false;
    }
    return cx_form_read(&form[pair->a], e->width, true, x) &&
           cx_form_read(&form[pair->b], e->width, true, y) &&
           (pair == e || chooses(ev, form, e, larger, x, y));
}

/* l <= r (or l < r), signed, as two conditions: where r is the smaller of two numbers, l is below both, and
 * where l is the larger one, both are. */
static bool both_less(struct cx_eval *ev, const struct cx_form *form, int32_t l, int32_t r, bool or_equal,
                      struct cx_conditions *out)
{
    struct cx_form x, y, other;
    const bool least = is_extreme(ev, form, r, false, &x, &y);

    if (!least && !is_extreme(ev, form, l, true, &x, &y)) {
        return false;
    }
    (void)cx_form_read(&form[least ? l : r], ev->launch.kernel->expr[l].width, true, &other);
    require(ev, out, least ? &other : &x, least ? &x : &other, !or_equal);
    require(ev, out, least ? &other : &y, least ? &y : &other, !or_equal);
    return true;
}

static void signed_less(struct cx_eval *ev, const struct cx_form *form, int32_t l, int32_t r, bool or_equal,
                        struct cx_conditions *out)
{
    struct cx_form x, y;

    if (!both_less(ev, form, l, r, or_equal, out)) {
        read_both(ev, &form[l], &form[r], ev->launch.kernel->expr[l].width, true, &x, &y);
        require(ev, out, &x, &y, !or_equal);
    }
}

void cx_eval_guard(struct cx_eval *ev, const struct cx_form *form, const struct cx_guard *guard,
                   struct cx_conditions *out)
{
    unsigned width = ev->launch.kernel->expr[guard->l].width;
    const struct cx_form *l = &form[guard->l], *r = &form[guard->r];
    struct cx_form x, y;

    out->count = 0;
    out->complete = true;
    switch ((enum cx_guard_pred)guard->pred) {
    case CX_PRED_ULT:
    case CX_PRED_ULE:
        unsigned_less(ev, out, l, r, width, guard->pred == CX_PRED_ULE);
        return;
    case CX_PRED_UGT:
    case CX_PRED_UGE:
        unsigned_less(ev, out, r, l, width, guard->pred == CX_PRED_UGE);
        return;
    case CX_PRED_EQ:
    case CX_PRED_NE:
        if (!read_both(ev, l, r, width, true, &x, &y) && !read_both(ev, l, r, width, false, &x, &y)) {
            out->complete = false;
        } else if (guard->pred == CX_PRED_EQ) {
            require(ev, out, &x, &y, 0);
            require(ev, out, &y, &x, 0);
        } else {
            not_equal(ev, out, &x, &y);
        }
        return;
    default:
        break;
    }
    if (guard->pred == CX_PRED_SLT || guard->pred == CX_PRED_SLE) {
        signed_less(ev, form, guard->l, guard->r, guard->pred == CX_PRED_SLE, out);
    } else {
        signed_less(ev, form, guard->r, guard->l, guard->pred == CX_PRED_SGE, out);
    }
}

/* The form without one variable's term. */
static struct cx_form without(const struct cx_form *f, unsigned var)
{
    struct cx_form rest = *f;

    for (unsigned i = 0; i < rest.nterm; i++) {
        if (rest.term[i].var == var) {
            rest.term[i] = rest.term[--rest.nterm];
            break;
        }
    }
    return rest;
}

/* The largest t for which the condition can hold; false where it sets no limit. */
static bool limit(const struct cx_eval *ev, const struct cx_form *condition, unsigned var, int64_t *last)
{
    int64_t k = cx_form_factor(condition, var), lo, hi;
    struct cx_form rest = without(condition, var);

    if (k <= 0) {
        return false;
    }
    cx_form_hull(&ev->vars, &rest, &lo, &hi);
    if (lo == INT64_MIN) {
        return false;
    }
    *last = lo > 0 ? -1 : cx_floor_div(-lo, k);
    return *last <= MAX_TRIPS;
}

/* "x != y" stops a loop only where the difference hits zero: it must start on the right side and walk towards
 * it evenly. */
static bool limit_not_equal(const struct cx_eval *ev, const struct cx_form *x, const struct cx_form *y,
                            unsigned var, int64_t *last)
{
    struct cx_form d = cx_form_add(&ev->vars, x, y, -1, 64), rest = without(&d, var);
    int64_t k = cx_form_factor(&d, var), lo, hi, way;

    if (k == 0 || k == INT64_MIN || rest.lo != rest.hi) {
        return false;
    }
    cx_form_hull(&ev->vars, &rest, &lo, &hi);
    if (lo == INT64_MIN || hi == INT64_MAX || (k < 0 ? lo < 0 : hi > 0)) {
        return false;
    }
    way = k < 0 ? hi : -lo;
    k = k < 0 ? -k : k;
    if (rest.lo % k != 0) {
        return false;
    }
    for (unsigned i = 0; i < rest.nterm; i++) {
        enum cx_var_kind kind = (enum cx_var_kind)ev->vars.var[rest.term[i].var].kind;
        if (rest.term[i].k % k != 0 || (kind != CX_VAR_ID && kind != CX_VAR_UNIT)) {
            return false;
        }
    }
    *last = way / k - 1;
    return *last <= MAX_TRIPS;
}

/* Whether the condition depends on nothing but the loop's variable: then all work-items leave the loop
 * together. */
static bool is_uniform(const struct cx_form *f, unsigned var)
{
    return f->nterm == 1 && f->term[0].var == var && f->lo == f->hi;
}

/* Whether the condition, once it fails, fails in all later iterations. */
static bool is_final(const struct cx_conditions *c, unsigned var)
{
    return c->complete && c->count == 1 && cx_form_factor(&c->f[0], var) > 0 && c->f[0].lo == c->f[0].hi;
}

/* The last iteration t after which the loop can go on, by all its guards; false where none limits it. */
static bool last_trip(struct cx_eval *ev, const struct cx_loop *loop, unsigned var, int64_t *last,
                      bool *uniform, bool *guarded)
{
    bool found = false;

    *guarded = *uniform = loop->single_exit && loop->nguard == 1;
    for (uint32_t i = 0; i < loop->nguard; i++) {
        const struct cx_guard *g = &ev->launch.kernel->guard[loop->guard + i];
        unsigned width = ev->launch.kernel->expr[g->l].width;
        struct cx_conditions c;
        struct cx_form x, y;
        int64_t t;
        if (g->pred == CX_PRED_NE) {
            if (read_both(ev, &ev->scratch[g->l], &ev->scratch[g->r], width, true, &x, &y) &&
                limit_not_equal(ev, &x, &y, var, &t) && (!found || t < *last)) {
                c.f[0] = cx_form_add(&ev->vars, &x, &y, -1, 64);
                *uniform = *uniform && is_uniform(&c.f[0], var);
                *last = t;
                found = true;
            }
            *guarded = false;
            continue;
        }
        cx_eval_guard(ev, ev->scratch, g, &c);
        *uniform = *uniform && c.count == 1 && is_uniform(&c.f[0], var);
        *guarded = *guarded && is_final(&c, var);
        for (unsigned j = 0; j < c.count; j++) {
            if (limit(ev, &c.f[j], var, &t) && (!found || t < *last)) {
                *last = t;
                found = true;
            }
        }
    }
    return found;
}

/* Marks all that the loop's guards are made of; its last node, -1 where there is no guard. */
static int32_t mark_guards(struct cx_eval *ev, const struct cx_loop *loop)
{
    int32_t last = -1;

    for (uint32_t i = 0; i < loop->nguard; i++) {
        const struct cx_guard *g = &ev->launch.kernel->guard[loop->guard + i];
        cx_eval_mark(ev, g->l, last < 0);
        cx_eval_mark(ev, g->r, false);
        last = g->l > last ? g->l : last;
        last = g->r > last ? g->r : last;
    }
    return last;
}

/* Whether all other loops that the marked nodes depend on are done. */
static bool is_ready(const struct cx_eval *ev, uint32_t loop, int32_t last)
{
    for (int32_t i = 0; i <= last; i++) {
        const struct cx_expr *e = &ev->launch.kernel->expr[i];
        if (ev->needed[i] && e->op == CX_EXPR_LOOP && e->imm != loop &&
            ev->loop_state[e->imm] == CX_LOOP_NEW) {
            return false;
        }
    }
    return true;
}

void cx_eval_forget_vars(struct cx_eval *ev, unsigned count)
{
    for (uint32_t i = 0; i < ev->launch.kernel->nexpr; i++) {
        if (ev->node_var[i] >= (int)count) {
            ev->node_var[i] = -1;
        }
    }
    for (unsigned d = 0; d < 3; d++) {
        for (unsigned part = 0; part < 2; part++) {
            if (ev->id_var[d][part] >= (int)count) {
                ev->id_var[d][part] = -1;
            }
        }
    }
    ev->vars.count = count;
}

static void bound_loop(struct cx_eval *ev, uint32_t index, int32_t last_node)
{
    const struct cx_loop *loop = &ev->launch.kernel->loop[index];
    unsigned count = ev->vars.count;
    int var = last_node < 0 ? -1 : cx_eval_new_var(ev, CX_VAR_LOOP, 0, INT32_MAX, false);
    int64_t guess, last;
    bool uniform, guarded, found = false;

    ev->loop_state[index] = CX_LOOP_UNBOUNDED;
    if (var < 0) {
        return;
    }
    ev->loop_var[index] = (int16_t)var;
    ev->assume = true;
    cx_eval_nodes(ev, ev->scratch, ev->needed, (uint32_t)last_node);
    found = last_trip(ev, loop, (unsigned)var, &guess, &uniform, &guarded);
    ev->assume = false;
    cx_eval_forget_vars(ev, count + 1);
    if (found) {
        ev->vars.var[var].hi = guess + 1;
        cx_eval_nodes(ev, ev->scratch, ev->needed, (uint32_t)last_node);
        found = last_trip(ev, loop, (unsigned)var, &last, &uniform, &guarded) && last <= guess;
    }
    if (!found) {
        cx_eval_forget_vars(ev, count);
        ev->loop_var[index] = -1;
        return;
    }
    ev->vars.var[var].hi = last + 1;
    ev->vars.var[var].exact = uniform;
    ev->loop_state[index] = guarded ? CX_LOOP_GUARDED : CX_LOOP_BOUNDED;
}

void cx_eval_loops(struct cx_eval *ev)
{
    uint32_t n = ev->launch.kernel->nloop;
    bool again = true;

    /* outer loops come first, so one round is the rule; loops that wait for each other stay unbounded */
    for (uint32_t round = 0; again && round < 8; round++) {
        again = false;
        for (uint32_t i = 0; i < n; i++) {
            int32_t last;
            if (ev->loop_state[i] != CX_LOOP_NEW) {
                continue;
            }
            last = mark_guards(ev, &ev->launch.kernel->loop[i]);
            if (is_ready(ev, i, last)) {
                bound_loop(ev, i, last);
            } else {
                again = true;
            }
        }
    }
}
