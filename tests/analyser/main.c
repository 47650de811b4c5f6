/* SPDX-License-Identifier: MIT */
/* Runs all suites; TAP goes to standard output, for meson. */
#include "suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(summary_suite());
    int failed;

    srunner_add_suite(runner, access_suite());
    srunner_add_suite(runner, launch_suite());
    srunner_add_suite(runner, stride_suite());
    if (!getenv("CK_TAP_LOG_FILE_NAME")) {
        srunner_set_tap(runner, "-");
    }
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
