/* SPDX-License-Identifier: MIT */
#include "layer/access/form.h"

int64_t cx_sat_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (a == INT64_MIN || b == INT64_MIN || a == INT64_MAX || b == INT64_MAX) {
        return a == INT64_MIN || b == INT64_MIN ? INT64_MIN : INT64_MAX;
    }
    if (__builtin_add_overflow(a, b, &sum)) {
        return a < 0 ? INT64_MIN : INT64_MAX;
    }
    return sum;
}

int64_t cx_sat_mul(int64_t a, int64_t b)
{
    bool ends = a == INT64_MIN || a == INT64_MAX || b == INT64_MIN || b == INT64_MAX;
    int64_t product;

    if (a == 0 || b == 0) {
        return 0;
    }
    if (ends || __builtin_mul_overflow(a, b, &product)) {
        return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    }
    return product;
}

int64_t cx_floor_div(int64_t a, int64_t d)
{
    return a / d - (a % d < 0);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct cx_form cx_form_const(int64_t value)
{
    return cx_form_interval(value, value);
}

struct cx_form cx_form_interval(int64_t lo, int64_t hi)
{
    return (struct cx_form){.lo = lo, .hi = hi, .min = lo, .max = hi};
}

struct cx_form cx_form_var(const struct cx_vars *vars, unsigned var, int64_t k)
{
    struct cx_form f = {.nterm = 1, .term[0] = {var, k}};

    cx_form_hull(vars, &f, &f.min, &f.max);
    return f;
}

struct cx_form cx_form_top(unsigned width, bool loose)
{
    struct cx_form f;

    if (width >= 64) {
        f = (struct cx_form){.min = INT64_MIN, .max = INT64_MAX};
        /* a slack that says the same as the bounds: whatever looks at either sees that nothing is known */
        f.lo = INT64_MIN;
        f.hi = INT64_MAX;
    } else {
        f = cx_form_interval(-(INT64_C(1) << (width - 1)), (INT64_C(1) << (width - 1)) - 1);
    }
    f.loose = loose;
    return f;
}

struct cx_form cx_form_clip(struct cx_form f, int64_t lo, int64_t hi)
{
    f.min = larger(f.min, lo);
    f.max = smaller(f.max, hi);
    return f;
}

bool cx_form_is_const(const struct cx_form *f)
{
    return f->nterm == 0 && f->lo == f->hi;
}

bool cx_form_is_unbounded(const struct cx_form *f)
{
    return f->min == INT64_MIN || f->max == INT64_MAX;
}

int64_t cx_form_factor(const struct cx_form *f, unsigned var)
{
    for (unsigned i = 0; i < f->nterm; i++) {
        if (f->term[i].var == var) {
            return f->term[i].k;
        }
    }
    return 0;
}

static bool follows_unit(const struct cx_form *f)
{
    return f->loose || cx_form_factor(f, 0) != 0;
}

void cx_form_hull(const struct cx_vars *vars, const struct cx_form *f, int64_t *lo, int64_t *hi)
{
    __int128 low = f->lo, high = f->hi;

    for (unsigned i = 0; i < f->nterm; i++) {
        const struct cx_var *v = &vars->var[f->term[i].var];
        __int128 k = f->term[i].k;
        low += k * (k > 0 ? v->lo : v->hi);
        high += k * (k > 0 ? v->hi : v->lo);
    }
    *lo = f->lo == INT64_MIN || low < INT64_MIN ? INT64_MIN : low > INT64_MAX ? INT64_MAX : (int64_t)low;
    *hi = f->hi == INT64_MAX || high > INT64_MAX ? INT64_MAX : high < INT64_MIN ? INT64_MIN : (int64_t)high;
}

/* Puts the bounds of a new form to what its terms and what is known otherwise say. */
static void settle(const struct cx_vars *vars, struct cx_form *f, int64_t min, int64_t max)
{
    cx_form_hull(vars, f, &f->min, &f->max);
    f->min = larger(f->min, min);
    f->max = smaller(f->max, max);
}

/* Adds k * var; the smallest term goes into the slack where there is no room. False where a number gets too
 * large. */
static bool add_term(const struct cx_vars *vars, struct cx_form *f, unsigned var, int64_t k)
{
    for (unsigned i = 0; i < f->nterm; i++) {
        if (f->term[i].var == var) {
            if (__builtin_add_overflow(f->term[i].k, k, &f->term[i].k)) {
                return false;
            }
            if (f->term[i].k == 0) {
                f->term[i] = f->term[--f->nterm];
            }
            return true;
        }
    }
    if (f->nterm < CX_FORM_TERMS) {
        f->term[f->nterm++] = (struct cx_term){var, k};
        return true;
    }
    f->loose |= var == 0;
    f->lo = cx_sat_add(f->lo, cx_sat_mul(k, k > 0 ? vars->var[var].lo : vars->var[var].hi));
    f->hi = cx_sat_add(f->hi, cx_sat_mul(k, k > 0 ? vars->var[var].hi : vars->var[var].lo));
    return f->lo != INT64_MIN && f->hi != INT64_MAX;
}

struct cx_form cx_form_add(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           int sign, unsigned width)
{
    struct cx_form f = *a;
    int64_t min = cx_sat_add(a->min, sign > 0 ? b->min : cx_sat_mul(-1, b->max));
    int64_t max = cx_sat_add(a->max, sign > 0 ? b->max : cx_sat_mul(-1, b->min));
    bool fits = a->lo != INT64_MIN && b->lo != INT64_MIN;

    f.loose = a->loose || b->loose;
    f.lo = cx_sat_add(a->lo, sign > 0 ? b->lo : cx_sat_mul(-1, b->hi));
    f.hi = cx_sat_add(a->hi, sign > 0 ? b->hi : cx_sat_mul(-1, b->lo));
    fits = fits && f.lo != INT64_MIN && f.hi != INT64_MAX && f.lo != INT64_MAX && f.hi != INT64_MIN;
    for (unsigned i = 0; fits && i < b->nterm; i++) {
        fits = b->term[i].k != INT64_MIN && add_term(vars, &f, b->term[i].var, sign * b->term[i].k);
    }
    if (!fits) {
        return cx_form_top(width, follows_unit(a) || follows_unit(b));
    }
    settle(vars, &f, min, max);
    return f;
}

/* The form times a constant. */
static bool scale(const struct cx_vars *vars, struct cx_form *f, int64_t k)
{
    int64_t lo = f->lo, hi = f->hi;
    bool over = lo == INT64_MIN || hi == INT64_MAX;

    over |= __builtin_mul_overflow(k >= 0 ? lo : hi, k, &f->lo);
    over |= __builtin_mul_overflow(k >= 0 ? hi : lo, k, &f->hi);
    for (unsigned i = 0; i < f->nterm; i++) {
        over |= __builtin_mul_overflow(f->term[i].k, k, &f->term[i].k);
    }
    if (over) {
        return false;
    }
    if (k == 0) {
        f->nterm = 0;
        f->min = f->max = 0;
        f->loose = false;
    } else {
        int64_t min = cx_sat_mul(k > 0 ? f->min : f->max, k), max = cx_sat_mul(k > 0 ? f->max : f->min, k);
        settle(vars, f, min, max);
    }
    return true;
}

static struct cx_form product(const struct cx_form *a, const struct cx_form *b, unsigned width)
{
    bool loose = follows_unit(a) || follows_unit(b);
    __int128 corner[4] = {(__int128)a->min * b->min, (__int128)a->min * b->max, (__int128)a->max * b->min,
                          (__int128)a->max * b->max};
    __int128 lo = corner[0], hi = corner[0];
    struct cx_form f;

    for (unsigned i = 1; i < 4; i++) {
        lo = corner[i] < lo ? corner[i] : lo;
        hi = corner[i] > hi ? corner[i] : hi;
    }
    if (cx_form_is_unbounded(a) || cx_form_is_unbounded(b) || lo <= INT64_MIN || hi >= INT64_MAX) {
        return cx_form_top(width, loose);
    }
    f = cx_form_interval((int64_t)lo, (int64_t)hi);
    f.loose = loose;
    return f;
}

struct cx_form cx_form_mul(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           unsigned width)
{
    struct cx_form f;
    bool fits;

    if (cx_form_is_const(b)) {
        f = *a;
        fits = scale(vars, &f, b->lo);
    } else if (cx_form_is_const(a)) {
        f = *b;
        fits = scale(vars, &f, a->lo);
    } else {
        return product(a, b, width);
    }
    return fits ? f : cx_form_top(width, follows_unit(a) || follows_unit(b));
}

/* Splits f = d * whole + rest, taking all terms that d divides into whole; both keep no bounds of their own.
 */
static void split(const struct cx_form *f, int64_t d, struct cx_form *whole, struct cx_form *rest)
{
    *whole = (struct cx_form){.loose = f->loose};
    *rest = (struct cx_form){.lo = f->lo, .hi = f->hi, .loose = f->loose};
    for (unsigned i = 0; i < f->nterm; i++) {
        if (f->term[i].k % d == 0) {
            whole->term[whole->nterm++] = (struct cx_term){f->term[i].var, f->term[i].k / d};
        } else {
            rest->term[rest->nterm++] = f->term[i];
        }
    }
}

struct cx_form cx_form_div(const struct cx_vars *vars, const struct cx_form *a, int64_t d)
{
    struct cx_form whole, rest;
    int64_t lo, hi;

    if (cx_form_is_unbounded(a)) {
        return cx_form_top(64, follows_unit(a));
    }
    split(a, d, &whole, &rest);
    cx_form_hull(vars, &rest, &lo, &hi);
    if (whole.nterm == 0) { /* then the rest is all of it, and bounds may know better */
        lo = larger(lo, a->min);
        hi = smaller(hi, a->max);
    }
    if (lo == INT64_MIN || hi == INT64_MAX) {
        return cx_form_top(64, follows_unit(a));
    }
    whole.lo = cx_floor_div(lo, d);
    whole.hi = cx_floor_div(hi, d);
    whole.loose |= whole.lo != whole.hi && follows_unit(&rest);
    settle(vars, &whole, cx_floor_div(a->min, d), cx_floor_div(a->max, d));
    return whole;
}

struct cx_form cx_form_mod(const struct cx_vars *vars, const struct cx_form *a, int64_t d)
{
    struct cx_form whole, rest;
    int64_t lo, hi, period;

    split(a, d, &whole, &rest);
    cx_form_hull(vars, &rest, &lo, &hi);
    if (whole.nterm == 0) {
        lo = larger(lo, a->min);
        hi = smaller(hi, a->max);
    }
    if (lo == INT64_MIN || hi == INT64_MAX || lo > hi || cx_floor_div(lo, d) != cx_floor_div(hi, d)) {
        rest = cx_form_interval(0, d - 1);
        rest.loose = follows_unit(a);
        return rest;
    }
    period = cx_floor_div(lo, d) * d;
    rest.lo = cx_sat_add(rest.lo, -period);
    rest.hi = cx_sat_add(rest.hi, -period);
    settle(vars, &rest, lo - period, hi - period);
    return rest;
}

/* a plus something in [lo, hi], in bounds; false where that cannot be expressed. */
static bool widen(const struct cx_vars *vars, struct cx_form *a, int64_t lo, int64_t hi, int64_t min,
                  int64_t max)
{
    a->lo = cx_sat_add(a->lo, lo);
    a->hi = cx_sat_add(a->hi, hi);
    if (a->lo == INT64_MIN || a->hi == INT64_MAX) {
        return false;
    }
    settle(vars, a, min, max);
    return true;
}

/*
 * The value is a + [alo, ahi] and also b + [blo, bhi]: takes the one with less slack. A form with terms
 * follows the unit, an interval does not.
 */
static struct cx_form narrower(const struct cx_vars *vars, const struct cx_form *a, int64_t alo, int64_t ahi,
                               const struct cx_form *b, int64_t blo, int64_t bhi, int64_t min, int64_t max,
                               unsigned width)
{
    __int128 in_a = (__int128)a->hi - a->lo + ahi - alo, in_b = (__int128)b->hi - b->lo + bhi - blo;
    struct cx_form f = in_a <= in_b ? *a : *b;
    bool fits = in_a <= in_b ? widen(vars, &f, alo, ahi, min, max) : widen(vars, &f, blo, bhi, min, max);

    if (!fits) {
        f = min > INT64_MIN && max < INT64_MAX ? cx_form_interval(min, max) : cx_form_top(width, false);
    }
    f.loose = a->loose || b->loose;
    return f;
}

struct cx_form cx_form_union(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                             unsigned width)
{
    struct cx_form d = cx_form_add(vars, b, a, -1, 64), f;
    int64_t lo = smaller(d.min, 0), hi = larger(d.max, 0);

    if (cx_form_is_const(&d) && d.lo == 0) {
        return *a;
    }
    f = narrower(vars, a, lo, hi, b, cx_sat_mul(-1, hi), cx_sat_mul(-1, lo), smaller(a->min, b->min),
                 larger(a->max, b->max), width);
    f.loose |= follows_unit(&d);
    return f;
}

struct cx_form cx_form_min(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           bool flip, unsigned width)
{
    /* d is how much better a is than b */
    struct cx_form d = flip ? cx_form_add(vars, a, b, -1, 64) : cx_form_add(vars, b, a, -1, 64), f;

    if (d.min >= 0) {
        return *a;
    }
    if (d.max <= 0) {
        return *b;
    }
    if (flip) {
        f = narrower(vars, a, 0, cx_sat_mul(-1, d.min), b, 0, d.max, larger(a->min, b->min),
                     larger(a->max, b->max), width);
    } else {
        f = narrower(vars, a, d.min, 0, b, cx_sat_mul(-1, d.max), 0, smaller(a->min, b->min),
                     smaller(a->max, b->max), width);
    }
    f.loose |= follows_unit(&d);
    return f;
}

/* A variable by itself is in range by its own bounds, even where these are the ends of 64 bits. */
static bool is_plain_var(const struct cx_form *f)
{
    return f->nterm == 1 && f->term[0].k == 1 && f->lo == 0 && f->hi == 0;
}

/* Moves the form by the multiple of the period that brings it to [base, base + period); false where none
 * does. */
static bool shift_into(struct cx_form *f, int64_t base, int64_t period)
{
    const int64_t far = INT64_MAX / 4;
    int64_t by;

    if (f->min < -far || f->max > far || f->lo < -far || f->hi > far || f->min > f->max) {
        return false;
    }
    by = cx_floor_div(f->min - base, period);
    if (by != cx_floor_div(f->max - base, period)) {
        return false;
    }
    by *= period;
    f->lo -= by;
    f->hi -= by;
    f->min -= by;
    f->max -= by;
    return true;
}

bool cx_form_read(const struct cx_form *f, unsigned width, bool sign, struct cx_form *out)
{
    bool loose = follows_unit(f);

    *out = *f;
    if (width >= 62) {
        bool in_range =
            sign ? is_plain_var(f) || !cx_form_is_unbounded(f) : f->min >= 0 && f->max < INT64_MAX;
        if (width >= 64 && in_range) {
            return true;
        }
        *out = cx_form_top(64, loose);
        return false;
    }
    if (shift_into(out, sign ? -(INT64_C(1) << (width - 1)) : 0, INT64_C(1) << width)) {
        return true;
    }
    *out = sign ? cx_form_top(width, loose) : cx_form_interval(0, (INT64_C(1) << width) - 1);
    out->loose = loose;
    return false;
}
