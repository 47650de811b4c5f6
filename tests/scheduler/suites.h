/* SPDX-License-Identifier: MIT */
/*
 * The suites of the scheduler's tests; main.c runs them all.
 */
#ifndef CX_TESTS_SCHEDULER_SUITES_H
#define CX_TESTS_SCHEDULER_SUITES_H

#include <check.h>

Suite *cx_test_properties(void);
Suite *cx_test_formulas(void);
Suite *cx_test_published(void);
Suite *cx_test_balance(void);
Suite *cx_test_memory(void);
Suite *cx_test_overlap(void);
Suite *cx_test_admission(void);
Suite *cx_test_reexecute(void);
Suite *cx_test_migration(void);
Suite *cx_test_follow(void);
Suite *cx_test_parts(void);
Suite *cx_test_drift(void);
Suite *cx_test_budget(void);
Suite *cx_test_budget_rows(void);
Suite *cx_test_chains(void);
Suite *cx_test_play(void);
Suite *cx_test_energy(void);
Suite *cx_test_power_fit(void);
Suite *cx_test_derive(void);
Suite *cx_test_objective(void);
Suite *cx_test_marrow(void);
Suite *cx_test_occupancy(void);

/* How many policies there are. */
unsigned cx_test_policies(void);

#endif
