/* SPDX-License-Identifier: MIT */
/*
 * Whether two accesses of work-items of different units are apart where that follows from what their indices
 * have in common with their guards: who stores M[i][j] and M[j][i] for all j >= i, as covariances and tables
 * of distances do, meets nobody else. Shapes (stride.h) know ranges of single variables only.
 *
 * Let x and y be the variables of two work-items, f(x) and g(y) the places that they touch, and C(x), C(y)
 * what their guards say. The accesses are apart if there are no whole numbers with C(x), C(y), f(x) = g(y)
 * and units that differ. That is asked of a polyhedron. An equation between places in a table, whose rows are
 * m long, says nothing of rows and columns by itself, and so hardly ever holds for no numbers at all but
 * whole ones. So it is taken apart first (Maslov, "Delinearization", PLDI '92): with
 *
 *     f(x) - g(y) = m * q(x, y) + r(x, y)
 *
 * and |r| < 2 * m, which is asked of the polyhedron too, f = g means that r is -m, 0 or m, and q is 1, 0 or
 * -1. m is tried among the factors; what q is made of may be taken apart in the same way.
 *
 * Forms stand for numbers that do not wrap (form.h), read as offsets of 63 bits, or nothing is said.
 * Previous stage: eval.h. Next stage: race.c.
 */
#include "layer/access/access_inside.h"
#include "layer/access/polyhedron.h"
#include "layer/access/number.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 2, CANDIDATES = 8 };

struct pair {
    struct cx_access *a;
    struct cx_polyhedron set;
    /* which variable of the polyhedron stands for one of the form's: first of x, then of y; -1: none */
    int8_t var[2][CX_MAX_VARS];
    bool full; /* there are more variables than there is room for */
    struct cx_polyhedron room[DEPTH + 1];
};

/* The variable's place in the polyhedron, with its range. */
static unsigned place_of(struct pair *p, unsigned item, unsigned var)
{
    const struct cx_var *v = &p->a->eval.vars.var[var];

    if (p->var[item][var] >= 0) {
        return (unsigned)p->var[item][var];
    }
    if (p->set.nvars == CX_POLYHEDRON_VARS) {
        p->full = true;
        return 0;
    }
    const unsigned at = p->set.nvars++;
    struct cx_linear least = {.constant = v->lo}, most = {.constant = -v->hi};
    p->var[item][var] = (int8_t)at;
    least.factor[at] = -1;
    most.factor[at] = 1;
    cx_polyhedron_add(&p->set, &least);
    cx_polyhedron_add(&p->set, &most);
    return at;
}

/* Adds the form's terms, times by, to the row. */
static void add_terms(struct pair *p, unsigned item, const struct cx_form *f, int64_t by,
                      struct cx_linear *row)
{
    for (unsigned i = 0; i < f->nterm; i++) {
        int64_t *factor = &row->factor[place_of(p, item, f->term[i].var)];
        *factor = cx_sat_add(*factor, cx_sat_mul(by, f->term[i].k));
    }
}

/* What the access' guards say of the item. */
static void add_guards(struct pair *p, unsigned item, const struct cx_access_record *r)
{
    struct cx_eval *ev = &p->a->eval;

    for (uint32_t i = 0; i < r->nguard; i++) {
        struct cx_conditions c;
        cx_eval_guard(ev, ev->form, &ev->launch.kernel->guard[r->guard + i], &c);
        for (unsigned j = 0; j < c.count; j++) {
            struct cx_linear row = {.constant = c.f[j].lo};
            add_terms(p, item, &c.f[j], 1, &row);
            if (c.f[j].lo != INT64_MIN) {
                cx_polyhedron_add(&p->set, &row);
            }
        }
    }
}

/* The record's offset as a sum of variables alone. */
static bool offset_of(const struct pair *p, const struct cx_access_record *r, struct cx_form *f)
{
    return r->off >= 0 && r->len < 0 && cx_form_read(&p->a->eval.form[r->off], 64, true, f) &&
           f->lo == f->hi && f->nterm > 0;
}

/* Whether the set and this equation have no whole numbers in common. */
static bool is_empty_with(struct pair *p, const struct cx_polyhedron *set, const struct cx_linear *row,
                          unsigned depth)
{
    p->room[depth] = *set;
    cx_polyhedron_add(&p->room[depth], row);
    return cx_polyhedron_is_empty(&p->room[depth]);
}

/* Whether the sum is less than `most` everywhere in the set; sign: the sum or what it is less than 0. */
static bool is_below(struct pair *p, const struct cx_polyhedron *set, const struct cx_linear *sum,
                     int64_t sign, int64_t most, unsigned depth)
{
    struct cx_linear row = {.constant = most - sign * sum->constant};

    for (unsigned v = 0; v < set->nvars; v++) {
        row.factor[v] = -sign * sum->factor[v];
    }
    return is_empty_with(p, set, &row, depth);
}

/* Parts the sum into m * quotient + rest, with the factors of the rest as small as can be. */
static void part(const struct cx_linear *sum, int64_t m, unsigned nvars, struct cx_linear *quotient,
                 struct cx_linear *rest)
{
    *quotient = *rest = (struct cx_linear){.equal = true};
    for (unsigned v = 0; v < nvars; v++) {
        quotient->factor[v] = cx_floor_div(sum->factor[v] + m / 2, m);
        rest->factor[v] = sum->factor[v] - m * quotient->factor[v];
    }
    quotient->constant = cx_floor_div(sum->constant + m / 2, m);
    rest->constant = sum->constant - m * quotient->constant;
}

static bool never_zero(struct pair *p, const struct cx_polyhedron *set, const struct cx_linear *sum,
                       unsigned depth);

/* The same, by this m. */
static bool never_zero_by(struct pair *p, const struct cx_polyhedron *set, const struct cx_linear *sum,
                          int64_t m, unsigned depth)
{
    struct cx_linear quotient, rest;
    bool never = true;

    part(sum, m, set->nvars, &quotient, &rest);
    if (!is_below(p, set, &rest, 1, 2 * m, depth) || !is_below(p, set, &rest, -1, 2 * m, depth)) {
        return false;
    }
    struct cx_polyhedron *with = malloc(sizeof(*with));
    for (int64_t k = -1; k <= 1 && never && with; k++) {
        struct cx_linear is = rest, other = quotient;
        is.constant -= k * m;
        other.constant += k;
        *with = *set;
        cx_polyhedron_add(with, &is);
        never = with->nrows > set->nrows && never_zero(p, with, &other, depth - 1);
    }
    never = never && with;
    free(with);
    return never;
}

/* Whether the sum is 0 nowhere in the set. */
static bool never_zero(struct pair *p, const struct cx_polyhedron *set, const struct cx_linear *sum,
                       unsigned depth)
{
    int64_t tried[CANDIDATES] = {0};
    unsigned n = 0;

    if (is_empty_with(p, set, sum, depth)) {
        return true;
    }
    for (unsigned v = 0; v < set->nvars && depth > 0 && n < CANDIDATES; v++) {
        const int64_t m = cx_number_size(sum->factor[v]);
        bool known = m < 2;
        for (unsigned i = 0; i < n; i++) {
            known = known || tried[i] == m;
        }
        if (known) {
            continue;
        }
        tried[n++] = m;
        if (never_zero_by(p, set, sum, m, depth)) {
            return true;
        }
    }
    return false;
}

/* Whether the items' bytes overlap in no two units, the first one's coming first, or last. */
static bool apart_in(struct pair *p, const struct cx_linear *sum, int64_t least, int64_t most, int sign)
{
    struct cx_polyhedron *set = malloc(sizeof(*set));
    struct cx_linear order = {.constant = 1};
    bool apart = set != NULL;

    if (apart) {
        *set = p->set;
        order.factor[place_of(p, 0, 0)] = sign;
        order.factor[place_of(p, 1, 0)] = -sign;
        cx_polyhedron_add(set, &order);
    }
    for (int64_t d = least; d <= most && apart; d++) {
        struct cx_linear at = *sum;
        at.constant -= d;
        apart = never_zero(p, set, &at, DEPTH);
    }
    free(set);
    return apart;
}

/* How far apart the items' places are, in steps that all factors are multiples of; and at which distances
 * bytes overlap. False: there are no such steps. */
static bool distance_of(struct pair *p, const struct cx_access_record *x, const struct cx_access_record *y,
                        struct cx_linear *sum, int64_t *least, int64_t *most)
{
    const struct cx_access_arg *args = p->a->args;
    struct cx_form fx, fy;
    int64_t step = 0, more;

    if (!offset_of(p, x, &fx) || !offset_of(p, y, &fy)) {
        return false;
    }
    *sum = (struct cx_linear){.equal = true};
    add_terms(p, 0, &fx, 1, sum);
    add_terms(p, 1, &fy, -1, sum);
    for (unsigned v = 0; v < p->set.nvars; v++) {
        if (cx_number_is_far(sum->factor[v])) {
            return false;
        }
        step = cx_number_gcd(step, sum->factor[v]);
    }
    more = cx_sat_add(fx.lo, cx_sat_mul(-1, fy.lo));
    if (step == 0 || cx_number_is_far(more)) {
        return false;
    }
    for (unsigned v = 0; v < p->set.nvars; v++) {
        sum->factor[v] /= step;
    }
    more += x->skew - y->skew + (int64_t)args[x->arg].base - (int64_t)args[y->arg].base;
    /* they overlap where -(x's size) < step * sum + more < y's size */
    *least = -cx_floor_div(more + (int64_t)x->size - 1, step);
    *most = cx_floor_div((int64_t)y->size - 1 - more, step);
    return true;
}

bool cx_access_items_apart(struct cx_access *a, const struct cx_access_record *x,
                           const struct cx_access_record *y)
{
    struct pair *p = malloc(sizeof(*p));
    struct cx_linear sum;
    int64_t least, most;
    bool apart = false;

    if (!p) {
        return false;
    }
    p->a = a;
    p->set = (struct cx_polyhedron){.nvars = 0};
    p->full = false;
    memset(p->var, -1, sizeof(p->var));
    (void)place_of(p, 0, 0);
    (void)place_of(p, 1, 0);
    if (distance_of(p, x, y, &sum, &least, &most)) {
        add_guards(p, 0, x);
        add_guards(p, 1, y);
        apart = !p->full && most - least < 3 && apart_in(p, &sum, least, most, 1) &&
                apart_in(p, &sum, least, most, -1);
    }
    free(p);
    return apart;
}
