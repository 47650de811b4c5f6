/* SPDX-License-Identifier: MIT */
/* Runs all suites; TAP goes to standard output, for meson. */
#include "suites.h"
#include "tap.h"

int main(void)
{
    SRunner *runner = srunner_create(summary_suite());
    srunner_add_suite(runner, access_suite());
    srunner_add_suite(runner, launch_suite());
    srunner_add_suite(runner, stride_suite());
    srunner_add_suite(runner, delinear_suite());
    return tap_run_all(runner);
}
