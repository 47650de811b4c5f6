/* SPDX-License-Identifier: MIT */
/*
 * By bounds: for two accesses x (before the border) and y (after it), the highest byte of x and the lowest of
 * y are piecewise linear functions of the border, so it is enough to compare them at the ends and at the few
 * places where a function bends.
 */
#include "layer/access_proof.h"

enum { UPWARDS = 1, DOWNWARDS = 2 }; /* later units touch higher bytes; or lower ones */

static int64_t value(int64_t s, int64_t t, int64_t add)
{
    return cx_sat_add(cx_sat_mul(s, t), add);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What an access touches with units before the border (b > first), or from it on (b <= last). */
static struct cx_span before(const struct cx_bound *x, int64_t b)
{
    int64_t t = smaller(b - 1, x->last);

    return (struct cx_span){value(x->s, x->s >= 0 ? x->first : t, x->lo),
                            value(x->s, x->s >= 0 ? t : x->first, x->hi)};
}

static struct cx_span from(const struct cx_bound *x, int64_t b)
{
    int64_t t = larger(b, x->first);

    return (struct cx_span){value(x->s, x->s >= 0 ? t : x->last, x->lo),
                            value(x->s, x->s >= 0 ? x->last : t, x->hi)};
}

static struct cx_bound moved(const struct cx_bound *x, int64_t by)
{
    struct cx_bound y = *x;

    y.lo = cx_sat_add(y.lo, by);
    y.hi = cx_sat_add(y.hi, by);
    y.min = cx_sat_add(y.min, by);
    y.max = cx_sat_add(y.max, by);
    return y;
}

/* In which directions x before any border is apart from y after it. */
static int apart(const struct cx_bound *x, const struct cx_bound *y, int64_t units)
{
    int64_t low = larger(1, x->first + 1), high = smaller(units - 1, y->last);
    int64_t borders[6] = {low, high, x->last, x->last + 1, y->first, y->first + 1};
    int result = UPWARDS | DOWNWARDS;

    if (low > high) {
        return result; /* never on both sides */
    }
    if (x->max <= y->min) {
        return UPWARDS;
    }
    if (y->max <= x->min) {
        return DOWNWARDS;
    }
    for (unsigned i = 0; i < 6; i++) {
        int64_t b = borders[i];
        struct cx_span l, r;
        if (b < low || b > high) {
            continue;
        }
        l = before(x, b);
        r = from(y, b);
        result &= l.hi <= r.lo ? ~0 : ~UPWARDS;
        result &= r.hi <= l.lo ? ~0 : ~DOWNWARDS;
    }
    return result;
}

static bool writes(const struct cx_access_record *r)
{
    return r->mode != CX_MODE_READ;
}

static bool fail(struct cx_access_verdict *v, enum cx_summary_reason reason, const struct cx_access_record *r)
{
    v->reason = reason;
    v->arg = r->arg;
    v->line = r->line;
    return false;
}

/* All writes of one argument before the border against all of another (or the same one) after it, in one
 * direction. */
static bool writes_apart(const struct cx_proof *p, uint32_t arg_x, uint32_t arg_y,
                         struct cx_access_verdict *verdict)
{
    const struct cx_launch *l = p->launch;
    const struct cx_summary_kernel *k = l->kernel;
    int directions = UPWARDS | DOWNWARDS;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (k->access[i].arg != arg_x || !writes(&k->access[i]) || p->bound[i].empty) {
            continue;
        }
        for (uint32_t j = 0; j < k->naccess; j++) {
            struct cx_bound x, y;
            if (k->access[j].arg != arg_y || !writes(&k->access[j]) || p->bound[j].empty) {
                continue;
            }
            x = moved(&p->bound[i], (int64_t)l->args[arg_x].base);
            y = moved(&p->bound[j], (int64_t)l->args[arg_y].base);
            directions &= apart(&x, &y, l->units);
            if (directions == 0) {
                bool guessed = p->bound[i].guessed || p->bound[j].guessed;
                return fail(verdict, guessed ? CX_REASON_WRITE_UNKNOWN : CX_REASON_WRITE_OVERLAP,
                            &k->access[p->bound[i].guessed ? i : j]);
            }
        }
    }
    return true;
}

/* A read and a write of one object: neither side reads what the other writes. */
static bool read_apart(const struct cx_proof *p, uint32_t read, uint32_t write)
{
    const struct cx_launch *l = p->launch;
    const struct cx_summary_kernel *k = l->kernel;
    struct cx_bound r = moved(&p->bound[read], (int64_t)l->args[k->access[read].arg].base);
    struct cx_bound w = moved(&p->bound[write], (int64_t)l->args[k->access[write].arg].base);

    if (!r.known) {
        return false;
    }
    return apart(&r, &w, l->units) != 0 && apart(&w, &r, l->units) != 0;
}

static bool same_object(const struct cx_launch *l, uint32_t x, uint32_t y)
{
    return l->args[x].object != 0 && l->args[x].object == l->args[y].object;
}

static bool reads_apart(const struct cx_proof *p, struct cx_access_verdict *verdict)
{
    const struct cx_summary_kernel *k = p->launch->kernel;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (k->access[i].mode != CX_MODE_READ || p->bound[i].empty) {
            continue;
        }
        for (uint32_t j = 0; j < k->naccess; j++) {
            if (writes(&k->access[j]) && !p->bound[j].empty &&
                same_object(p->launch, k->access[i].arg, k->access[j].arg) && !read_apart(p, i, j)) {
                return fail(verdict, CX_REASON_READ_OVERLAP, &k->access[i]);
            }
        }
    }
    return true;
}

bool cx_proof_by_bounds(const struct cx_proof *p, struct cx_access_verdict *verdict)
{
    const struct cx_summary_kernel *k = p->launch->kernel;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (writes(&k->access[i]) && !p->bound[i].known && p->launch->args[k->access[i].arg].object != 0) {
            return fail(verdict, CX_REASON_WRITE_UNKNOWN, &k->access[i]);
        }
    }
    for (uint32_t x = 0; x < k->narg; x++) {
        for (uint32_t y = 0; y < k->narg; y++) {
            if (same_object(p->launch, x, y) && !writes_apart(p, x, y, verdict)) {
                return false;
            }
        }
    }
    return reads_apart(p, verdict);
}

static struct cx_span joined(struct cx_span a, struct cx_span b)
{
    if (a.lo >= a.hi) {
        return b;
    }
    if (b.lo >= b.hi) {
        return a;
    }
    return (struct cx_span){smaller(a.lo, b.lo), larger(a.hi, b.hi)};
}

/* Which directions two spans are apart in; in both where one is empty. */
static int spans_apart(struct cx_span x, struct cx_span y)
{
    if (x.lo >= x.hi || y.lo >= y.hi) {
        return UPWARDS | DOWNWARDS;
    }
    return (x.hi <= y.lo ? UPWARDS : 0) | (y.hi <= x.lo ? DOWNWARDS : 0);
}

/* What all units before (or from) the border touch, in the object's bytes. */
static struct cx_span side(const struct cx_proof *p, const struct cx_span *of, uint32_t arg, int64_t border,
                           bool after)
{
    const struct cx_launch *l = p->launch;
    struct cx_span sum = {0, 0};

    for (int64_t u = after ? border : 0; u < (after ? l->units : border); u++) {
        sum = joined(sum, of[arg * l->units + u]);
    }
    if (sum.lo < sum.hi) {
        sum.lo = cx_sat_add(sum.lo, (int64_t)l->args[arg].base);
        sum.hi = cx_sat_add(sum.hi, (int64_t)l->args[arg].base);
    }
    return sum;
}

static const struct cx_access_record *first_of(const struct cx_summary_kernel *k, uint32_t arg, bool write)
{
    for (uint32_t i = 0; i < k->naccess; i++) {
        if (k->access[i].arg == arg && writes(&k->access[i]) == write) {
            return &k->access[i];
        }
    }
    return k->access;
}

/* Two arguments of one object; the sides are those of all borders in turn. */
static bool pair_by_units(const struct cx_proof *p, uint32_t x, uint32_t y, struct cx_access_verdict *verdict)
{
    int directions = UPWARDS | DOWNWARDS;

    for (int64_t b = 1; b < p->launch->units; b++) {
        struct cx_span wx = side(p, p->writes, x, b, false), wy = side(p, p->writes, y, b, true);
        struct cx_span rx = side(p, p->reads, x, b, false), ry = side(p, p->reads, y, b, true);
        directions &= spans_apart(wx, wy);
        if (directions == 0) {
            return fail(verdict, CX_REASON_WRITE_OVERLAP, first_of(p->launch->kernel, y, true));
        }
        if (spans_apart(rx, wy) == 0 || spans_apart(wx, ry) == 0) {
            return fail(verdict, CX_REASON_READ_OVERLAP,
                        first_of(p->launch->kernel, spans_apart(rx, wy) == 0 ? x : y, false));
        }
    }
    return true;
}

bool cx_proof_by_units(const struct cx_proof *p, struct cx_access_verdict *verdict)
{
    const struct cx_summary_kernel *k = p->launch->kernel;

    for (uint32_t x = 0; x < k->narg; x++) {
        for (uint32_t y = 0; y < k->narg; y++) {
            bool written = (k->arg[x].touch | k->arg[y].touch) & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC);
            if (written && same_object(p->launch, x, y) && !pair_by_units(p, x, y, verdict)) {
                return false;
            }
        }
    }
    return true;
}
