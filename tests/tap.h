/* SPDX-License-Identifier: MIT */
/*
 * What main does in every test written with libcheck. Linked wherever check_dep is.
 */
#ifndef CX_TESTS_TAP_H
#define CX_TESTS_TAP_H

#include <check.h>

/* Runs the suite, which is freed, with TAP on standard output; gives main's result. */
int tap_run(Suite *suite);
/* The same for a runner that several suites were added to. */
int tap_run_all(SRunner *runner);

/* Sets a variable of the environment; where the name is in lower case, that name of COEXEC_DEBUG, behind
 * those that are set already, as the last one counts. */
void set_variable(const char *name, const char *value);

/* How many of so many random cases to take: all, or with TEST_PART=n in the environment an n-th, one at
 * least. */
unsigned test_part(unsigned count);

/* Adds the test for each of 0 to count - 1; with AGAIN_STEP=n in the environment, as sanitizers have it, for
 * every n-th. */
void test_add_some(TCase *tcase, const TTest *test, unsigned count);

#endif
