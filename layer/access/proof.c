/* SPDX-License-Identifier: MIT */
/*
 * By bounds: for two accesses x (before the border) and y (after it), the highest byte of x and the lowest of
 * y are piecewise linear functions of the border, so it is enough to compare them at the ends and at the few
 * places where a function bends.
 */
#include "layer/access/proof.h"

#include <stdlib.h>

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

static bool fail(struct cx_fault *fault, enum cx_summary_reason reason, const struct cx_access_record *r)
{
    *fault = (struct cx_fault){.reason = reason, .record = r};
    return false;
}

static bool of_object(const struct cx_proof *p, uint32_t access, uint64_t object)
{
    return p->launch->args[p->launch->kernel->access[access].arg].object == object && !p->bound[access].empty;
}

/* In bytes of the object. */
static struct cx_bound placed(const struct cx_proof *p, uint32_t access)
{
    return moved(&p->bound[access], (int64_t)p->launch->args[p->launch->kernel->access[access].arg].base);
}

/* All writes through one argument before the border against all through another (or the same one) after it,
 * in one direction. */
static bool writes_apart(const struct cx_proof *p, uint32_t arg_x, uint32_t arg_y, struct cx_fault *fault)
{
    const struct cx_summary_kernel *k = p->launch->kernel;
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
            x = placed(p, i);
            y = placed(p, j);
            directions &= apart(&x, &y, p->launch->units);
            if (directions == 0) {
                bool guessed = p->bound[i].guessed || p->bound[j].guessed;
                return fail(fault, guessed ? CX_REASON_WRITE_UNKNOWN : CX_REASON_WRITE_OVERLAP,
                            &k->access[p->bound[i].guessed ? i : j]);
            }
        }
    }
    return true;
}

bool cx_proof_writes(const struct cx_proof *p, uint64_t object, struct cx_fault *fault)
{
    const struct cx_summary_kernel *k = p->launch->kernel;
    const struct cx_access_arg *args = p->launch->args;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (of_object(p, i, object) && writes(&k->access[i]) && !p->bound[i].known) {
            return fail(fault, CX_REASON_WRITE_UNKNOWN, &k->access[i]);
        }
    }
    for (uint32_t x = 0; x < k->narg; x++) {
        for (uint32_t y = 0; y < k->narg; y++) {
            if (args[x].object == object && args[y].object == object && !writes_apart(p, x, y, fault)) {
                return false;
            }
        }
    }
    return true;
}

bool cx_proof_apart(const struct cx_bound *x, const struct cx_bound *y, int64_t units)
{
    return apart(x, y, units) != 0;
}

bool cx_proof_reads(const struct cx_proof *p, uint32_t arg, struct cx_fault *fault)
{
    const struct cx_summary_kernel *k = p->launch->kernel;
    int before = UPWARDS | DOWNWARDS, after = before;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (k->access[i].arg != arg || k->access[i].mode == CX_MODE_WRITE || p->bound[i].empty) {
            continue;
        }
        for (uint32_t j = 0; j < k->naccess; j++) {
            struct cx_bound r, w;
            if (!writes(&k->access[j]) || !of_object(p, j, p->launch->args[arg].object)) {
                continue;
            }
            r = placed(p, i);
            w = placed(p, j);
            before &= r.known && w.known ? apart(&r, &w, p->launch->units) : 0;
            after &= r.known && w.known ? apart(&w, &r, p->launch->units) : 0;
            if (before == 0 || after == 0) {
                return fail(fault, CX_REASON_READ_OVERLAP, &k->access[i]);
            }
        }
    }
    return true;
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

/* What all units before (or from) each border touch, in the object's bytes. */
static void sides(const struct cx_proof *p, const struct cx_span *of, uint32_t arg, bool after,
                  struct cx_span *side)
{
    const struct cx_launch *l = p->launch;
    int64_t base = (int64_t)l->args[arg].base;
    struct cx_span sum = {0, 0};

    for (int64_t i = 0; i < l->units; i++) {
        int64_t u = after ? l->units - 1 - i : i;
        struct cx_span one = of[arg * l->units + u];
        if (one.lo < one.hi) {
            sum = joined(sum, (struct cx_span){cx_sat_add(one.lo, base), cx_sat_add(one.hi, base)});
        }
        if (after) {
            side[u] = sum;
        } else if (u + 1 < l->units) {
            side[u + 1] = sum;
        }
    }
}

/* x before any border against y after it, for all borders in one direction. */
static bool apart_by_units(const struct cx_proof *p, const struct cx_span *of_x, uint32_t x,
                           const struct cx_span *of_y, uint32_t y, bool one_direction)
{
    struct cx_span *left = malloc(2 * CX_MAX_LISTED_UNITS * sizeof(*left));
    struct cx_span *right = left + CX_MAX_LISTED_UNITS;
    int directions = UPWARDS | DOWNWARDS;
    bool apart = left != NULL;

    if (left) {
        sides(p, of_x, x, false, left);
        sides(p, of_y, y, true, right);
    }
    for (int64_t b = 1; b < p->launch->units && apart; b++) {
        int here = spans_apart(left[b], right[b]);
        directions &= here;
        apart = here != 0 && (!one_direction || directions != 0);
    }
    free(left);
    return apart;
}

bool cx_proof_listed_writes(const struct cx_proof *p, uint64_t object)
{
    const struct cx_access_arg *args = p->launch->args;

    for (uint32_t x = 0; x < p->launch->kernel->narg; x++) {
        for (uint32_t y = 0; args[x].object == object && y < p->launch->kernel->narg; y++) {
            if (args[y].object == object && !apart_by_units(p, p->writes, x, p->writes, y, true)) {
                return false;
            }
        }
    }
    return true;
}

bool cx_proof_listed_reads(const struct cx_proof *p, uint64_t object)
{
    const struct cx_access_arg *args = p->launch->args;

    for (uint32_t x = 0; x < p->launch->kernel->narg; x++) {
        for (uint32_t y = 0; args[x].object == object && y < p->launch->kernel->narg; y++) {
            if (args[y].object == object && (!apart_by_units(p, p->reads, x, p->writes, y, false) ||
                                             !apart_by_units(p, p->writes, x, p->reads, y, false))) {
                return false;
            }
        }
    }
    return true;
}
