/* SPDX-License-Identifier: MIT */
/*
 * Rows of splits (budget.h): a program whose launches each read what the one before wrote. A split between
 * whole launches moves half of that there and back and loses; in a row of splits only borders move.
 */
#include "scheduler/budget.h"
#include "tests/scheduler/suites.h"

#include <math.h>

/* Seconds: of a whole launch; of a split with its data in place; of the first splits of a row, which move. */
struct program {
    double whole, placed, first, second;
    double bound; /* of one with its data in place, by which `placed` may exceed it */
};

struct outcome {
    struct cx_budget budget;
    unsigned splits;
    double beyond, busy;
};

/* Stakes are what the first device's estimates say, before and after the first split. */
static struct outcome run(const struct program *program, unsigned launches)
{
    struct outcome outcome = {.budget = {.share = CX_BUDGET_SHARE}};
    struct cx_budget_record record = {0};
    const double whole = program->whole;
    const struct cx_stake apart = {whole, 0.76 * whole, 1.3 * whole, 0.57 * whole, 0},
                          placed = {whole, 0.57 * whole, program->bound, 0.57 * whole, 0};
    unsigned row = 0;
    cx_budget_ran(&outcome.budget, NULL, 1);
    for (unsigned i = 0; i < launches; i++) {
        double reserved;
        const double took = row == 0 ? program->first : row == 1 ? program->second : program->placed;
        if (!cx_stake_splits(cx_budget_decide(&outcome.budget, &record, row ? &placed : &apart, &reserved))) {
            row = 0;
            cx_budget_ran(&outcome.budget, &record, whole);
            continue;
        }
        row++;
        outcome.splits++;
        outcome.beyond += fmax(took - whole - reserved, 0);
        cx_budget_ran(&outcome.budget, &record, fmin(took, whole));
        (void)cx_budget_settle(&outcome.budget, &record, reserved, whole, took);
    }
    return outcome;
}

/* Rodinia's hotspot of 4,096 on two H200 (docs/field.md): a launch of 0.6 ms, of which the first splits of a
 * row took 1.5 and 1.1, and the ones behind them 0.45. */
START_TEST(a_row_is_judged_as_one)
{
    const struct program program = {0.6e-3, 0.45e-3, 1.5e-3, 1.1e-3, 0.61e-3};
    const struct outcome outcome = run(&program, 5000);
    ck_assert_msg(outcome.splits > 4000, "%u of 5000 split", outcome.splits);
}
END_TEST

/* Where what is in place does not gain either, a row ends soon, and the next ones are ever further apart. */
START_TEST(a_row_that_loses_ends)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct program program = {0.6e-3,
                                        i == 0   ? 0.61e-3
                                        : i == 1 ? 0.9e-3
                                                 : 5e-3,
                                        1.5e-3, 1.1e-3, 0.59e-3 + 0.02e-3 * i};
        const struct outcome outcome = run(&program, 20000);
        const double spent = outcome.budget.spent, busy = outcome.budget.busy;
        ck_assert_msg(spent <= CX_BUDGET_SHARE * busy + outcome.beyond, "%g of %g, %g beyond", spent, busy,
                      outcome.beyond);
        ck_assert_msg(spent <= 2 * CX_BUDGET_SHARE * busy, "%g of %g", spent, busy);
    }
}
END_TEST

/* A split whose data lies where a whole launch left it is no part of a row. */
START_TEST(moves_end_a_row)
{
    const struct cx_stake moves = {0.001, 0.003, 0.003, 0.0006, 0},
                          placed = {0.001, 0.0006, 0.0012, 0.0006, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = {.share = CX_BUDGET_SHARE};
    double reserved;
    cx_budget_ran(&budget, &record, 1);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_TRIAL);
    (void)cx_budget_settle(&budget, &record, reserved, 0.001, 0.0035);
    ck_assert(!cx_budget_rests(&record));
    struct cx_budget_record other = record;
    struct cx_budget same = budget;
    ck_assert_int_eq(cx_budget_decide(&same, &other, &placed, &reserved), CX_STAKE_TRIAL);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &moves, &reserved), CX_STAKE_WAITS);
    ck_assert(cx_budget_rests(&record));
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &placed, &reserved), CX_STAKE_WAITS);
}
END_TEST

/* The second of two splits whose data is in place, after a first one that lost. */
static enum cx_stake_verdict after_a_loss(bool alone)
{
    const struct cx_stake placed = {0.001, 0.0006, 0.0009, 0.0006, 0};
    struct cx_budget_record record = {0};
    struct cx_budget budget = {.share = CX_BUDGET_SHARE};
    double reserved;
    cx_budget_ran(&budget, &record, 1);
    ck_assert_int_eq(cx_budget_decide(&budget, &record, &placed, &reserved), CX_STAKE_SPLIT);
    if (alone)
        cx_budget_alone(&record);
    (void)cx_budget_settle(&budget, &record, reserved, 0.001, 0.002);
    return cx_budget_decide(&budget, &record, &placed, &reserved);
}

START_TEST(those_alone_are_no_row)
{
    ck_assert_int_eq(after_a_loss(false), CX_STAKE_SPLIT);
    ck_assert_int_eq(after_a_loss(true), CX_STAKE_WAITS);
}
END_TEST

Suite *cx_test_budget_rows(void)
{
    Suite *suite = suite_create("budget_rows");
    TCase *tcase = tcase_create("budget_rows");
    tcase_add_test(tcase, a_row_is_judged_as_one);
    tcase_add_test(tcase, a_row_that_loses_ends);
    tcase_add_test(tcase, moves_end_a_row);
    tcase_add_test(tcase, those_alone_are_no_row);
    suite_add_tcase(suite, tcase);
    return suite;
}
