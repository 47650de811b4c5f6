/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <stdlib.h>

int tap_run(Suite *suite)
{
    return tap_run_all(srunner_create(suite));
}

int tap_run_all(SRunner *runner)
{
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
