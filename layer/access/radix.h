/* SPDX-License-Identifier: MIT */
/*
 * Sums over the digits of ids. An id, counted from where the launch begins, is written with mixed bases: 100
 * * 50 * z + 100 * y + x has the digits x, y and z. A sum is
 *
 *     constant + sum of factor * digit + (digit >= from ? step : 0)
 *
 * With step -base * factor that is a coordinate on a ring: (x + 1) % 100 is 1 + x - (x >= 99 ? 100 : 0).
 * Unlike a form (form.h) a sum is no bound but the value itself: of a node of width w it is the value modulo
 * 2^w, whatever the items are that the id ranges allow.
 *
 * Used by radix_eval.c and bijection.c only. Takes no lock.
 */
#ifndef CX_LAYER_ACCESS_RADIX_H
#define CX_LAYER_ACCESS_RADIX_H

#include <stdbool.h>
#include <stdint.h>

#define CX_RADIX_DIGITS 6
/* Ids: the three dimensions, then the iterations of the first loops. */
#define CX_RADIX_IDS 8

/* Which values the ids have; lo <= hi. */
struct cx_ids {
    int64_t lo[CX_RADIX_IDS], hi[CX_RADIX_IDS];
};

/* floor(id / place) % base, and what it adds to the sum. */
struct cx_digit {
    uint8_t id;
    int64_t place;
    int64_t base; /* 0: floor(id / place) itself */
    int64_t factor;
    int64_t from, step; /* step 0: none */
};

/*
 * In canonical form: digits by id and place, none of them overlapping, none that adds nothing, and none that
 * makes one with the next.
 */
struct cx_radix {
    bool known;
    uint8_t n;
    int64_t constant;
    struct cx_digit digit[CX_RADIX_DIGITS];
};

struct cx_radix cx_radix_const(int64_t value);
/* The sum floor(id / place) % base; base 0: without the modulo.. Called by radix_eval.c. */
struct cx_radix cx_radix_digit(const struct cx_ids *ids, unsigned id, int64_t place, int64_t base);
/* The sum a + b * times.. Called by radix_eval.c. */
struct cx_radix cx_radix_add(const struct cx_ids *ids, const struct cx_radix *a, const struct cx_radix *b,
                             int64_t times);
/* The quotient of the sum's exact value divided by d > 0, rounded down; with rest: the remainder. Called by
 * radix_eval.c. */
struct cx_radix cx_radix_divide(const struct cx_ids *ids, const struct cx_radix *a, int64_t d, bool rest);
/* Where a choice is yes: where a number is below 0, or 0, or below 0 and perhaps also where it is 0. */
enum cx_radix_when { CX_RADIX_BELOW, CX_RADIX_EQUAL, CX_RADIX_LEAST };
/*
 * One or the other, as the number `less` has it, which must be alike for all items or depend on one digit
 * alone. yes, no and the result are modulo 2^width. What `less` is afterwards means nothing. Called by
 * radix_eval.c.
 */
struct cx_radix cx_radix_choose(const struct cx_ids *ids, struct cx_radix *less, enum cx_radix_when when,
                                const struct cx_radix *yes, const struct cx_radix *no, unsigned width);

/* Whether it is a known number, the same for all items. Called by radix.c and radix_eval.c. */
bool cx_radix_is_const(const struct cx_radix *a);
/* Finds the least and greatest value; false: they do not fit in 62 bits. Called by bijection.c and
 * radix_eval.c. */
bool cx_radix_hull(const struct cx_ids *ids, const struct cx_radix *a, int64_t *lo, int64_t *hi);
/* The values of a digit. Called by bijection.c. */
void cx_radix_digit_range(const struct cx_ids *ids, const struct cx_digit *d, int64_t *lo, int64_t *hi);

#endif
