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

#endif
