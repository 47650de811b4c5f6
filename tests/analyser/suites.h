/* SPDX-License-Identifier: MIT */
/* The suites of tests/analyser; main.c runs them all. */
#ifndef CX_TESTS_ANALYSER_SUITES_H
#define CX_TESTS_ANALYSER_SUITES_H

#include <check.h>

Suite *summary_suite(void);
Suite *access_suite(void);
Suite *launch_suite(void);
Suite *stride_suite(void);
Suite *delinear_suite(void);

#endif
