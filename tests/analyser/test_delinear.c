/* SPDX-License-Identifier: MIT */
/* Sets of whole numbers against numbers tried one by one, and two stores of loops that begin and end where an
 * item's number says against all that their items write. */
#include "layer/access/access_inside.h"
#include "layer/access/polyhedron.h"
#include "oracle.h"

#include "suites.h"

#include <stdio.h>
#include <string.h>

/* ---- polyhedron.h ---- */

enum { VARS = 3, SPAN = 5 }; /* numbers in [-SPAN, SPAN] */

static int64_t below(struct cx_random *r, int64_t n)
{
    return (int64_t)cx_random_below(r, (uint64_t)n);
}

static bool holds(const struct cx_polyhedron *set, const int64_t *x)
{
    for (unsigned i = 0; i < set->nrows; i++) {
        int64_t sum = set->row[i].constant;
        for (unsigned v = 0; v < set->nvars; v++) {
            sum += set->row[i].factor[v] * x[v];
        }
        if (set->row[i].equal ? sum != 0 : sum > 0) {
            return false;
        }
    }
    return true;
}

static bool has_any(const struct cx_polyhedron *set)
{
    int64_t x[VARS];

    for (x[0] = -SPAN; x[0] <= SPAN; x[0]++) {
        for (x[1] = -SPAN; x[1] <= SPAN; x[1]++) {
            for (x[2] = -SPAN; x[2] <= SPAN; x[2]++) {
                if (holds(set, x)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static void random_set(struct cx_random *r, struct cx_polyhedron *set)
{
    const unsigned more = 1 + (unsigned)below(r, 6);

    *set = (struct cx_polyhedron){.nvars = VARS};
    for (unsigned v = 0; v < VARS; v++) {
        for (int64_t sign = -1; sign <= 1; sign += 2) {
            struct cx_linear limit = {.constant = -SPAN};
            limit.factor[v] = sign;
            cx_polyhedron_add(set, &limit);
        }
    }
    for (unsigned i = 0; i < more; i++) {
        struct cx_linear row = {.constant = below(r, 21) - 10, .equal = cx_random_chance(r, 25)};
        for (unsigned v = 0; v < VARS; v++) {
            row.factor[v] = below(r, 9) - 4;
        }
        cx_polyhedron_add(set, &row);
    }
}

START_TEST(empty_sets_are_empty)
{
    static struct cx_polyhedron set, copy;
    unsigned empty = 0, said = 0;

    for (uint64_t seed = 1; seed <= 20000; seed++) {
        struct cx_random r = {seed};
        random_set(&r, &set);
        copy = set;
        const bool any = has_any(&set), none = cx_polyhedron_is_empty(&copy);
        if (any && none) {
            ck_abort_msg("seed %llu", (unsigned long long)seed);
        }
        empty += !any;
        said += none;
    }
    fprintf(stderr, "# sets: %u of 20000 empty, %u said to be\n", empty, said);
    ck_assert(said > empty / 2);
}
END_TEST

/* Numbers that are too large say nothing. */
START_TEST(large_numbers_say_nothing)
{
    static struct cx_polyhedron set;
    struct cx_linear row = {.constant = INT64_MAX};

    set = (struct cx_polyhedron){.nvars = 2};
    cx_polyhedron_add(&set, &row);
    ck_assert_uint_eq(set.nrows, 0);
    for (int64_t sign = -1; sign <= 1; sign += 2) { /* x = y * 2^60 and y = x * 2^60 - 1 */
        row = (struct cx_linear){.factor = {sign, sign * (INT64_C(1) << 60)}, .constant = 1};
        cx_polyhedron_add(&set, &row);
    }
    row = (struct cx_linear){.factor = {INT64_C(3) << 59, 7}, .constant = 5, .equal = true};
    cx_polyhedron_add(&set, &row);
    (void)cx_polyhedron_is_empty(&set);
}
END_TEST

/* ---- stores ---- */

enum { BYTES = 1 << 14 };

/* a * item + b * turn + c, in numbers of 4 bytes; turn: of the loop, from 0 on. */
struct sum {
    int64_t a, b, c;
};

static int64_t value_of(const struct sum *s, int64_t item, int64_t turn)
{
    return s->a * item + s->b * turn + s->c;
}

/* for (turn = 0; more(item, turn) < n; turn++) { out[place[0]] = ..; out[place[1]] = ..; } */
struct stores {
    struct sum place[2], more;
    int64_t items, local, n;
};

struct built {
    struct cx_expr expr[64];
    struct cx_summary_kernel kernel;
    struct cx_summary_arg arg;
    struct cx_guard guard;
    struct cx_loop loop;
    struct cx_access_record access[2];
    struct cx_access_geometry geometry;
    struct cx_access_arg value;
};

static int32_t node(struct built *b, enum cx_expr_op op, int32_t x, int32_t y, int64_t imm)
{
    b->expr[b->kernel.nexpr] = (struct cx_expr){.op = (uint8_t)op, .width = 64, .a = x, .b = y, .imm = imm};
    return (int32_t)b->kernel.nexpr++;
}

static int32_t number(struct built *b, int64_t value)
{
    return node(b, CX_EXPR_CONST, -1, -1, value);
}

static int32_t sum_node(struct built *b, int32_t item, int32_t turn, const struct sum *s)
{
    const int32_t x = node(b, CX_EXPR_MUL, item, number(b, s->a), 0);
    const int32_t y = node(b, CX_EXPR_MUL, turn, number(b, s->b), 0);
    return node(b, CX_EXPR_ADD, node(b, CX_EXPR_ADD, x, y, 0), number(b, s->c), 0);
}

static void build(struct built *b, const struct stores *s)
{
    memset(b, 0, sizeof(*b));
    const int32_t item = node(b, CX_EXPR_GLOBAL_ID, 0, -1, 0);
    const int32_t turn = node(b, CX_EXPR_LOOP, number(b, 0), number(b, 1), 0);
    b->guard =
        (struct cx_guard){.pred = CX_PRED_SLT, .l = sum_node(b, item, turn, &s->more), .r = number(b, s->n)};
    b->loop = (struct cx_loop){.nguard = 1, .single_exit = 1, .parent = -1};
    for (unsigned i = 0; i < 2; i++) {
        const int32_t place = sum_node(b, item, turn, &s->place[i]);
        b->access[i] = (struct cx_access_record){.mode = CX_MODE_WRITE,
                                                 .width = 4,
                                                 .off = node(b, CX_EXPR_MUL, place, number(b, 4), 0),
                                                 .len = -1,
                                                 .size = 4,
                                                 .nguard = 1,
                                                 .line = 1 + i,
                                                 .store = 1 + i};
    }
    b->kernel.name = "stores";
    b->kernel.max_dim = 1;
    b->kernel.narg = b->kernel.nguard = b->kernel.nloop = 1;
    b->kernel.naccess = 2;
    b->arg = (struct cx_summary_arg){.kind = CX_ARG_GLOBAL};
    b->kernel.arg = &b->arg;
    b->kernel.expr = b->expr;
    b->kernel.guard = &b->guard;
    b->kernel.loop = &b->loop;
    b->kernel.access = b->access;
    b->geometry = (struct cx_access_geometry){
        .work_dim = 1, .global = {(uint64_t)s->items, 1, 1}, .local = {(uint64_t)s->local, 1, 1}};
    b->value = (struct cx_access_arg){.object = 1, .bytes = BYTES};
}

/* Whether two items of different groups write one place, one by each store. */
static bool meet(const struct stores *s)
{
    static int64_t group[2][BYTES / 4]; /* one more than that of who writes there; -1: several */
    memset(group, 0, sizeof(group));
    for (int64_t item = 0; item < s->items; item++) {
        for (int64_t turn = 0; value_of(&s->more, item, turn) < s->n; turn++) {
            for (unsigned i = 0; i < 2; i++) {
                const int64_t at = value_of(&s->place[i], item, turn), own = 1 + item / s->local;
                if (at >= 0 && at < BYTES / 4) {
                    group[i][at] = group[i][at] && group[i][at] != own ? -1 : own;
                }
            }
        }
    }
    for (unsigned at = 0; at < BYTES / 4; at++) {
        if (group[0][at] && group[1][at] && (group[0][at] != group[1][at] || group[0][at] < 0)) {
            return true;
        }
    }
    return false;
}

static int64_t factor(struct cx_random *r, int64_t n)
{
    const int64_t usual[] = {0, 1, 1, n, n, n + 1, n - 1, 2, -1, 2 * n, n + 2};
    return usual[below(r, 11)];
}

static void random_stores(struct cx_random *r, struct stores *s)
{
    s->n = 3 + below(r, 12);
    s->local = 1 + below(r, 3);
    s->items = s->local * (2 + below(r, 4));
    s->more = (struct sum){below(r, 3) - (cx_random_chance(r, 20) ? 1 : 0), 1 + below(r, 2), below(r, 3)};
    for (unsigned i = 0; i < 2; i++) {
        s->place[i] = (struct sum){factor(r, s->n), factor(r, s->n), below(r, 3)};
    }
    if (cx_random_chance(r, 50)) { /* a pair in its row and in its column, or nearly so */
        const int64_t m = s->n + below(r, 3) - 1;
        s->more = (struct sum){1, 1, below(r, 2)};
        s->place[0] = (struct sum){m + 1, 1, s->more.c};
        s->place[1] = (struct sum){m + 1, m, s->more.c * m};
        s->place[below(r, 2)].c += cx_random_chance(r, 30) ? below(r, 3) - 1 : 0;
    }
}

/* What may be merged has no two stores that meet. */
START_TEST(stores_apart_do_not_meet)
{
    static struct built b;
    unsigned apart = 0, said = 0;

    for (uint64_t seed = 1; seed <= 30000; seed++) {
        struct cx_random r = {seed};
        struct cx_access *access;
        struct cx_access_verdict verdict;
        struct stores s;
        random_stores(&r, &s);
        build(&b, &s);
        const bool splits = cx_access_choose(&b.kernel, &b.geometry, &b.value, &access, &verdict);
        const bool met = meet(&s);
        if (splits && met) {
            ck_abort_msg("seed %llu: n %lld", (unsigned long long)seed, (long long)s.n);
        }
        apart += !met;
        said += splits;
        cx_access_destroy(&access);
    }
    fprintf(stderr, "# stores: %u of 30000 do not meet, %u said not to\n", apart, said);
    ck_assert(said > apart / 2);
}
END_TEST

Suite *delinear_suite(void)
{
    Suite *suite = suite_create("delinear");
    TCase *tests = tcase_create("delinear");

    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, empty_sets_are_empty);
    tcase_add_test(tests, large_numbers_say_nothing);
    tcase_add_test(tests, stores_apart_do_not_meet);
    suite_add_tcase(suite, tests);
    return suite;
}
