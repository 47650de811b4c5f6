/* SPDX-License-Identifier: MIT */
/* Strided sets against sets of numbers: what is said to be apart is, what is merged holds both. */
#include "layer/access/stride.h"
#include "oracle.h"

#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS 5
#define SPACE 4096 /* numbers watched, from -SPACE / 2 on */

struct set {
    unsigned char unit[UNITS][SPACE];
};

static unsigned char *at(struct set *set, int64_t unit, int64_t byte)
{
    static unsigned char outside;

    return byte >= -SPACE / 2 && byte < SPACE / 2 ? &set->unit[unit][byte + SPACE / 2] : &outside;
}

static void fill_row(struct set *set, const struct cx_shape *x, int64_t unit, int64_t base)
{
    for (int64_t r = 0; r < x->run; r++) {
        int64_t low = x->off + x->s * unit + r;
        if (low >= x->low && low < x->high && low + base >= x->min && low + base < x->max) {
            *at(set, unit, low + base) = 1;
        }
    }
}

static void fill(struct set *set, const struct cx_shape *x, int64_t by)
{
    struct cx_shape y = *x;

    memset(set, 0, sizeof(*set));
    y.off += by;
    y.low += by;
    y.high += by;
    y.min += by;
    y.max += by;
    for (int64_t t = y.first; t <= y.last; t++) {
        for (int64_t i = 0; i < (y.levels > 0 ? y.count[0] : 1); i++) {
            for (int64_t j = 0; j < (y.levels > 1 ? y.count[1] : 1); j++) {
                fill_row(set, &y, t, i * y.stride[0] + j * y.stride[1]);
            }
        }
    }
}

static int64_t below(struct cx_random *r, int64_t n)
{
    return (int64_t)cx_random_below(r, (uint64_t)n);
}

/* A shape as bound.c would make it. */
static bool random_shape(struct cx_random *r, struct cx_shape *x)
{
    struct cx_step step[3];
    unsigned steps = (unsigned)below(r, 4);
    int64_t a, b;

    *x = (struct cx_shape){.s = below(r, 25) - 12, .off = below(r, 300) - 100, .run = 1 + below(r, 14)};
    x->first = cx_random_chance(r, 80) ? 0 : below(r, UNITS);
    x->last = cx_random_chance(r, 80) ? UNITS - 1 : x->first + below(r, UNITS - x->first);
    a = x->off + x->s * x->first;
    b = x->off + x->s * x->last;
    x->low = a < b ? a : b;
    x->high = (a < b ? b : a) + x->run;
    x->high -= x->s && cx_random_chance(r, 20) ? below(r, x->high - x->low) : 0;
    for (unsigned i = 0; i < steps; i++) {
        step[i] = (struct cx_step){1 + below(r, 120), 2 + below(r, 5)};
    }
    if (!cx_shape_stack(x, step, steps)) {
        return false;
    }
    x->min = x->low;
    x->max = cx_shape_end(x);
    x->max -= cx_random_chance(r, 20) ? below(r, x->max - x->min) : 0;
    return true;
}

static void check_apart(const struct cx_shape *x, const struct cx_shape *y, int64_t by, uint64_t seed,
                        unsigned *found)
{
    static struct set sx, sy;
    enum cx_apart apart = cx_shape_apart(x, y, by);

    found[apart]++;
    if (apart == CX_APART_NOT) {
        return;
    }
    fill(&sx, x, 0);
    fill(&sy, y, by);
    for (int64_t t = 0; t < UNITS; t++) {
        for (int64_t u = 0; u < UNITS; u++) {
            for (int64_t i = 0; (t != u || apart == CX_APART_ALWAYS) && i < SPACE; i++) {
                if (sx.unit[t][i] && sy.unit[u][i]) {
                    ck_abort_msg("shapes %llu: units %d and %d share %d", (unsigned long long)seed, (int)t,
                                 (int)u, (int)i - SPACE / 2);
                }
            }
        }
    }
}

static void check_merge(const struct cx_shape *x, const struct cx_shape *y, uint64_t seed, unsigned *merged)
{
    static struct set sx, sy, both;
    struct cx_shape sum = *x;

    if (!cx_shape_merge(&sum, y, seed % 2)) {
        return;
    }
    ++*merged;
    fill(&sx, x, 0);
    fill(&sy, y, 0);
    fill(&both, &sum, 0);
    for (int64_t t = 0; t < UNITS; t++) {
        for (int64_t i = 0; i < SPACE; i++) {
            if ((sx.unit[t][i] || sy.unit[t][i]) && !both.unit[t][i]) {
                ck_abort_msg("shapes %llu: unit %d loses %d", (unsigned long long)seed, (int)t,
                             (int)i - SPACE / 2);
            }
        }
    }
}

START_TEST(shapes_are_what_they_say)
{
    unsigned found[3] = {0, 0, 0}, merged = 0;

    for (uint64_t seed = 1; seed <= 40000; seed++) {
        struct cx_random r = {seed};
        struct cx_shape x, y;
        int64_t by = cx_random_chance(&r, 50) ? below(&r, 200) - 100 : 0;
        if (!random_shape(&r, &x)) {
            continue;
        }
        y = x;
        if (cx_random_chance(&r, 50)) { /* the same rows elsewhere, or with other counts */
            int64_t move = below(&r, 100);
            y.off += move;
            y.low += move;
            y.high += move;
            y.min += move;
            y.max += move;
        } else if (!random_shape(&r, &y)) {
            continue;
        }
        check_apart(&x, &x, 0, seed, found);
        check_apart(&x, &y, by, seed, found);
        check_merge(&x, &y, seed, &merged);
    }
    fprintf(stderr, "# shapes: not apart %u, apart in units %u, always %u, merged %u\n", found[CX_APART_NOT],
            found[CX_APART_UNITS], found[CX_APART_ALWAYS], merged);
    ck_assert(found[CX_APART_UNITS] > 100 && found[CX_APART_ALWAYS] > 100 && merged > 100);
}
END_TEST

Suite *stride_suite(void)
{
    Suite *suite = suite_create("stride");
    TCase *sets = tcase_create("sets");

    tcase_set_timeout(sets, 300);
    tcase_add_test(sets, shapes_are_what_they_say);
    suite_add_tcase(suite, sets);
    return suite;
}
