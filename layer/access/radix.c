/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of sums over digits. A digit is cut in two where the other operand has a border: x of base 100
 * is x % 10 and x / 10, if it has no step or the step lies at a multiple of 10. Whatever cannot be done so is
 * not known.
 */
#include "layer/access/radix.h"

#include <string.h>

#define FAR (INT64_C(1) << 62)

static const struct cx_radix unknown = {.known = false};

static bool times(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product) && *product > -FAR && *product < FAR;
}

static bool plus(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum) && *sum > -FAR && *sum < FAR;
}

static int64_t floor_div(int64_t a, int64_t d)
{
    return a / d - (a % d < 0);
}

struct cx_radix cx_radix_const(int64_t value)
{
    return value > -FAR && value < FAR ? (struct cx_radix){.known = true, .constant = value} : unknown;
}

bool cx_radix_is_const(const struct cx_radix *a)
{
    return a->known && a->n == 0;
}

/* Where the digit ends: the place of the next one; 0: nowhere. */
static int64_t end_of(const struct cx_digit *d)
{
    return d->place * d->base;
}

void cx_radix_digit_range(const struct cx_ids *ids, const struct cx_digit *d, int64_t *lo, int64_t *hi)
{
    int64_t first = ids->lo[d->id] / d->place, last = ids->hi[d->id] / d->place;

    if (d->base && first / d->base != last / d->base) {
        *lo = 0;
        *hi = d->base - 1;
        return;
    }
    *lo = d->base ? first % d->base : first;
    *hi = d->base ? last % d->base : last;
}

static void remove_digit(struct cx_radix *a, unsigned i)
{
    a->n--;
    memmove(&a->digit[i], &a->digit[i + 1], (a->n - i) * sizeof(a->digit[0]));
}

static bool insert_digit(struct cx_radix *a, unsigned i, const struct cx_digit *d)
{
    if (a->n == CX_RADIX_DIGITS) {
        return false;
    }
    memmove(&a->digit[i + 1], &a->digit[i], (a->n - i) * sizeof(a->digit[0]));
    a->digit[i] = *d;
    a->n++;
    return true;
}

/* A step that all or none of the digit's values reach becomes a number, and so does a digit of one value. */
static bool fold(const struct cx_ids *ids, struct cx_radix *a, struct cx_digit *d)
{
    int64_t lo, hi, value;

    cx_radix_digit_range(ids, d, &lo, &hi);
    if (d->step && d->from <= lo && !plus(a->constant, d->step, &a->constant)) {
        return false;
    }
    if (d->from <= lo || d->from > hi) {
        d->step = 0;
    }
    if (lo == hi) {
        if (!times(d->factor, lo, &value) || !plus(a->constant, value, &a->constant)) {
            return false;
        }
        d->factor = 0;
    }
    return true;
}

/* Whether the digit and the next one are one. */
static bool is_one(const struct cx_digit *low, const struct cx_digit *high)
{
    int64_t factor;

    return low->id == high->id && low->base && end_of(low) == high->place && low->step == 0 &&
           times(low->factor, low->base, &factor) && factor == high->factor && low->factor != 0;
}

/* Into canonical form; digits are in order already. */
static void settle(const struct cx_ids *ids, struct cx_radix *a)
{
    for (unsigned i = 0; i < a->n && a->known;) {
        struct cx_digit *d = &a->digit[i];
        a->known = fold(ids, a, d);
        if (d->factor == 0 && d->step == 0) {
            remove_digit(a, i);
            continue;
        }
        if (d->base && ids->hi[d->id] < end_of(d)) {
            d->base = 0;
        }
        i++;
    }
    for (unsigned i = 0; a->known && i + 1 < a->n;) {
        struct cx_digit *low = &a->digit[i], *high = low + 1;
        if (!is_one(low, high)) {
            i++;
            continue;
        }
        if (high->step && !times(high->from, low->base, &low->from)) {
            a->known = false;
        }
        low->step = high->step;
        low->base = high->base ? low->base * high->base : 0;
        remove_digit(a, i + 1);
    }
    if (!a->known) {
        *a = unknown;
    }
}

struct cx_radix cx_radix_digit(const struct cx_ids *ids, unsigned id, int64_t place, int64_t base)
{
    struct cx_radix a = {
        .known = true, .n = 1, .digit[0] = {.id = (uint8_t)id, .place = place, .base = base, .factor = 1}};

    if (id >= CX_RADIX_IDS || place < 1 || base < 0 || place >= FAR ||
        (base && (base >= FAR || base > FAR / place))) {
        return unknown;
    }
    settle(ids, &a);
    return a;
}

bool cx_radix_hull(const struct cx_ids *ids, const struct cx_radix *a, int64_t *lo, int64_t *hi)
{
    __int128 least = a->constant, most = a->constant;

    for (unsigned i = 0; i < a->n; i++) {
        const struct cx_digit *d = &a->digit[i];
        int64_t first, last;
        __int128 end[4];
        cx_radix_digit_range(ids, d, &first, &last);
        end[0] = (__int128)d->factor * first;
        end[1] = (__int128)d->factor * last + d->step;
        /* on both sides of the step, which lies behind the first value and not behind the last */
        end[2] = d->step ? (__int128)d->factor * (d->from - 1) : end[0];
        end[3] = d->step ? (__int128)d->factor * d->from + d->step : end[0];
        for (unsigned e = 1; e < 4; e++) {
            __int128 swap = end[e];
            if (swap < end[0]) {
                end[e] = end[0];
                end[0] = swap;
            }
        }
        for (unsigned e = 1; e < 3; e++) {
            end[3] = end[e] > end[3] ? end[e] : end[3];
        }
        least += end[0];
        most += end[3];
    }
    if (least <= -FAR || most >= FAR) {
        return false;
    }
    *lo = (int64_t)least;
    *hi = (int64_t)most;
    return true;
}

/* Cuts the digit that goes on below and above `place`, if there is one; false where that cannot be done. */
static bool cut(struct cx_radix *a, unsigned id, int64_t place)
{
    for (unsigned i = 0; i < a->n; i++) {
        struct cx_digit *low = &a->digit[i], high = *low;
        int64_t q = place / low->place;
        if (low->id != id || low->place >= place || (low->base && end_of(low) <= place)) {
            continue;
        }
        if (place % low->place || (low->base && low->base % q) || (low->step && low->from % q) ||
            !times(low->factor, q, &high.factor)) {
            return false;
        }
        high.place = place;
        high.base = low->base / q;
        high.from = low->from / q;
        low->base = q;
        low->step = 0;
        return insert_digit(a, i + 1, &high);
    }
    return true;
}

/* Cuts a's digits at b's borders. */
static bool cut_like(struct cx_radix *a, const struct cx_radix *b)
{
    for (unsigned i = 0; i < b->n; i++) {
        const struct cx_digit *d = &b->digit[i];
        if (!cut(a, d->id, d->place) || (d->base && !cut(a, d->id, end_of(d)))) {
            return false;
        }
    }
    return true;
}

/* Where the digit d is in a, or belongs; *same: it is there. False where another one overlaps it. */
static bool find(const struct cx_radix *a, const struct cx_digit *d, unsigned *at, bool *same)
{
    *same = false;
    for (*at = 0; *at < a->n; (*at)++) {
        const struct cx_digit *e = &a->digit[*at];
        if (e->id == d->id && e->place == d->place) {
            *same = e->base == d->base;
            return *same;
        }
        if (e->id > d->id || (e->id == d->id && e->place > d->place)) {
            return e->id > d->id || (d->base && end_of(d) <= e->place);
        }
        if (e->id == d->id && (!e->base || end_of(e) > d->place)) {
            return false;
        }
    }
    return true;
}

/* Both cut alike. */
static bool align(struct cx_radix *a, struct cx_radix *b)
{
    return cut_like(a, b) && cut_like(b, a) && cut_like(a, b);
}

/* d += e * by */
static bool add_digit(struct cx_digit *d, const struct cx_digit *e, int64_t by)
{
    int64_t factor, step;

    if (!times(e->factor, by, &factor) || !times(e->step, by, &step) ||
        !plus(d->factor, factor, &d->factor) || (d->step && step && d->from != e->from)) {
        return false;
    }
    d->from = step ? e->from : d->from;
    return plus(d->step, step, &d->step);
}

struct cx_radix cx_radix_add(const struct cx_ids *ids, const struct cx_radix *a, const struct cx_radix *b,
                             int64_t by)
{
    struct cx_radix sum = *a, other = *b;
    int64_t constant;

    if (!a->known || !b->known || !align(&sum, &other) || !times(other.constant, by, &constant) ||
        !plus(sum.constant, constant, &sum.constant)) {
        return unknown;
    }
    for (unsigned i = 0; i < other.n; i++) {
        struct cx_digit d = {
            .id = other.digit[i].id, .place = other.digit[i].place, .base = other.digit[i].base};
        unsigned at;
        bool same;
        if (!find(&sum, &d, &at, &same) || (!same && !insert_digit(&sum, at, &d)) ||
            !add_digit(&sum.digit[at], &other.digit[i], by)) {
            return unknown;
        }
    }
    settle(ids, &sum);
    return sum;
}

/* All that d divides goes into high, divided by it, the rest into low. False where it cannot be parted. */
static bool part(const struct cx_ids *ids, const struct cx_radix *a, int64_t d, struct cx_radix *high,
                 struct cx_radix *low)
{
    struct cx_radix all = *a;

    for (unsigned i = 0; i < all.n; i++) { /* as high as it is worth d */
        const struct cx_digit *e = &all.digit[i];
        int64_t lo, hi, most, place;
        cx_radix_digit_range(ids, e, &lo, &hi);
        if (e->factor > 0 && e->factor < d && d % e->factor == 0 && times(e->factor, hi, &most) &&
            most >= d && (!times(e->place, d / e->factor, &place) || !cut(&all, e->id, place))) {
            return false;
        }
    }
    *high = cx_radix_const(floor_div(all.constant, d));
    *low = cx_radix_const(all.constant - high->constant * d);
    for (unsigned i = 0; i < all.n; i++) {
        struct cx_digit up = all.digit[i], down = up;
        if (up.factor % d == 0) {
            down.factor = 0;
        }
        if (up.step % d == 0 && down.factor == 0) {
            down.step = 0;
        }
        up.factor = (up.factor - down.factor) / d;
        up.step = (up.step - down.step) / d;
        high->digit[high->n++] = up;
        low->digit[low->n++] = down;
    }
    settle(ids, high);
    settle(ids, low);
    return high->known && low->known;
}

/* The one digit that the sum has, without a step. */
static const struct cx_digit *only_digit(const struct cx_radix *a)
{
    return a->n == 1 && a->digit[0].step == 0 && a->digit[0].factor != 0 ? &a->digit[0] : NULL;
}

struct cx_radix cx_radix_divide(const struct cx_ids *ids, const struct cx_radix *a, int64_t d, bool rest)
{
    struct cx_radix high, low, carry;
    const struct cx_digit *only;
    int64_t lo, hi, least;

    if (!a->known || d < 1 || !part(ids, a, d, &high, &low) || !cx_radix_hull(ids, &low, &lo, &hi)) {
        return unknown;
    }
    least = floor_div(lo, d);
    carry = cx_radix_const(least);
    only = only_digit(&low);
    if (floor_div(hi, d) == least + 1 && only && only->factor > 0) {
        /* the first value of the digit that reaches the next multiple */
        carry.n = 1;
        carry.digit[0] = *only;
        carry.digit[0].factor = 0;
        carry.digit[0].step = 1;
        carry.digit[0].from = -floor_div(low.constant - (least + 1) * d, only->factor);
        settle(ids, &carry);
    } else if (floor_div(hi, d) != least) {
        return unknown;
    }
    return rest ? cx_radix_add(ids, &low, &carry, -d) : cx_radix_add(ids, &high, &carry, 1);
}

/* The digits [lo, until) are those for which the number is below 0; false where they are no such run. */
static bool below_zero(const struct cx_ids *ids, const struct cx_radix *less, const struct cx_digit *only,
                       bool equal, int64_t *until, bool *swap)
{
    int64_t lo, hi, at;

    cx_radix_digit_range(ids, only, &lo, &hi);
    *swap = false;
    if (equal) {
        at = -less->constant / only->factor;
        if (less->constant % only->factor || at < lo || at > hi) {
            *until = lo; /* never */
            return true;
        }
        *until = at == lo ? lo + 1 : at;
        *swap = at != lo;
        return at == lo || at == hi;
    }
    if (only->factor > 0) {
        *until = -floor_div(less->constant, only->factor); /* the first that is not */
        return true;
    }
    *swap = true;
    *until = floor_div(less->constant, -only->factor) + 1; /* the first that is */
    return true;
}

/* What the digit adds where it is only below `until`, or only from there on: constant + factor * digit. */
static bool one_side(const struct cx_radix *a, const struct cx_digit *d, int64_t until, bool above,
                     int64_t *constant, int64_t *factor)
{
    unsigned at;
    bool same;

    *constant = a->constant;
    *factor = 0;
    if (!find(a, d, &at, &same)) {
        return false;
    }
    if (!same) {
        return true;
    }
    d = &a->digit[at];
    *factor = d->factor;
    if (d->step && above) {
        return d->from <= until && plus(*constant, d->step, constant);
    }
    return !d->step || d->from >= until;
}

/* The same without that digit. */
static struct cx_radix without(const struct cx_radix *a, const struct cx_digit *d)
{
    struct cx_radix rest = *a;
    unsigned at;
    bool same;

    if (find(a, d, &at, &same) && same) {
        remove_digit(&rest, at);
    }
    rest.constant = 0;
    return rest;
}

static bool is_equal(const struct cx_radix *a, const struct cx_radix *b)
{
    bool equal = a->n == b->n && a->constant == b->constant;

    for (unsigned i = 0; equal && i < a->n; i++) {
        const struct cx_digit *d = &a->digit[i], *e = &b->digit[i];
        equal = d->id == e->id && d->place == e->place && d->base == e->base && d->factor == e->factor &&
                d->step == e->step && (d->step == 0 || d->from == e->from);
    }
    return equal;
}

/* The nearest to 0 of all numbers that are `value` modulo 2^width. */
static int64_t nearest(int64_t value, unsigned width)
{
    return width < 62 ? (int64_t)((uint64_t)value << (64 - width)) >> (64 - width) : value;
}

/* low below `until` of the digit, high from there on; both are cut alike and have that digit's borders. */
static struct cx_radix glue(const struct cx_ids *ids, const struct cx_digit *only, int64_t until,
                            const struct cx_radix *low, const struct cx_radix *high, unsigned width)
{
    struct cx_radix all = without(low, only), other = without(high, only);
    struct cx_digit d = {.id = only->id, .place = only->place, .base = only->base, .from = until};
    int64_t lo, hi, c[2], factor[2], more;
    unsigned at;
    bool same;

    if (!is_equal(&all, &other) || !one_side(low, only, until, false, &c[0], &factor[0]) ||
        !one_side(high, only, until, true, &c[1], &factor[1])) {
        return unknown;
    }
    cx_radix_digit_range(ids, only, &lo, &hi);
    if (factor[0] != factor[1] && until == lo + 1) { /* one value below: any factor will do */
        if (!times(factor[0] - factor[1], lo, &more) || !plus(c[0], more, &c[0])) {
            return unknown;
        }
        factor[0] = factor[1];
    } else if (factor[0] != factor[1] && until == hi) {
        if (!times(factor[1] - factor[0], hi, &more) || !plus(c[1], more, &c[1])) {
            return unknown;
        }
        factor[1] = factor[0];
    }
    d.factor = factor[0];
    if (factor[0] != factor[1] || !plus(c[1], -c[0], &d.step) || !find(&all, &d, &at, &same) || same) {
        return unknown;
    }
    d.step = nearest(d.step, width);
    if ((d.factor || d.step) && !insert_digit(&all, at, &d)) {
        return unknown;
    }
    all.constant = c[0];
    settle(ids, &all);
    return all;
}

/* Cuts `less` like the others. Where it then has several digits: a number is below 0 if its quotient is,
 * rounded down, and that may have one; the quotient may be 0 where the number is not. False where that
 * fails. */
static bool align_condition(const struct cx_ids *ids, struct cx_radix *less, struct cx_radix *low,
                            struct cx_radix *high, enum cx_radix_when *when)
{
    for (unsigned round = 0; round < 2; round++) {
        int64_t most = 1;
        if (!align(low, high) || !align(low, less) || !align(high, less) || !align(low, high)) {
            return false;
        }
        if (only_digit(less)) {
            return true;
        }
        for (unsigned i = 0; i < less->n; i++) {
            most = less->digit[i].factor > most ? less->digit[i].factor : most;
        }
        if (round || *when == CX_RADIX_EQUAL || most == 1) {
            return false;
        }
        *less = cx_radix_divide(ids, less, most, false);
        *when = CX_RADIX_BELOW;
        if (!less->known || less->n != 1) {
            return false;
        }
    }
    return false;
}

/* The choice, of which low is below `until` and high from there on; with `tie` perhaps one further up, or
 * down. */
static struct cx_radix choose_at(const struct cx_ids *ids, const struct cx_digit *only, int64_t until,
                                 int64_t tie, const struct cx_radix *low, const struct cx_radix *high,
                                 unsigned width)
{
    struct cx_radix chosen = glue(ids, only, until, low, high, width);

    if (!chosen.known && tie) {
        chosen = glue(ids, only, until + tie, low, high, width);
    }
    return chosen;
}

struct cx_radix cx_radix_choose(const struct cx_ids *ids, struct cx_radix *less, enum cx_radix_when when,
                                const struct cx_radix *yes, const struct cx_radix *no, unsigned width)
{
    const bool equal = when == CX_RADIX_EQUAL;
    struct cx_radix low = *yes, high = *no;
    const struct cx_digit *only;
    int64_t until, lo, hi, tie;
    bool swap;

    if (!less->known) {
        return unknown;
    }
    if (cx_radix_is_const(less)) {
        return (equal ? less->constant == 0 : less->constant < 0) ? *yes : *no;
    }
    if (cx_radix_hull(ids, less, &lo, &hi) && (hi < 0 || lo > (equal ? 0 : -1))) {
        return equal || lo >= 0 ? *no : *yes; /* the same for all */
    }
    if (!yes->known || !no->known || !align_condition(ids, less, &low, &high, &when)) {
        return unknown;
    }
    only = only_digit(less);
    if (!below_zero(ids, less, only, equal, &until, &swap)) {
        return unknown;
    }
    cx_radix_digit_range(ids, only, &lo, &hi);
    if (until <= lo) {
        return swap ? *yes : *no;
    }
    if (until > hi) {
        return swap ? *no : *yes;
    }
    /* where the number is 0 it may be either */
    tie = swap ? -1 : 1;
    if (when != CX_RADIX_LEAST || less->constant + only->factor * (swap ? until - 1 : until) != 0 ||
        until + tie <= lo || until + tie > hi) {
        tie = 0;
    }
    return swap ? choose_at(ids, only, until, tie, &high, &low, width)
                : choose_at(ids, only, until, tie, &low, &high, width);
}
