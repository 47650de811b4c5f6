/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * libcheck writes down where each assertion held, so that a test that crashes tells the last one. Once for
 * each place in turn is enough: a loop over millions of values took minutes.
 */
void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);

void __wrap__mark_point(const char *file, int line)
{
    static _Thread_local const char *last_file;
    static _Thread_local int last_line;
    if (line == last_line && file == last_file)
        return;
    last_file = file;
    last_line = line;
    __real__mark_point(file, line);
}

void set_variable(const char *name, const char *value)
{
    const char *before = getenv("COEXEC_DEBUG");
    char all[1024];
    if (*name < 'a' || *name > 'z') {
        ck_assert_int_eq(setenv(name, value, 1), 0);
        return;
    }
    const int length = snprintf(all, sizeof all, "%s%s%s=%s", before ? before : "",
                                before && *before ? "," : "", name, value);
    ck_assert_int_lt(length, (int)sizeof all);
    ck_assert_int_eq(setenv("COEXEC_DEBUG", all, 1), 0);
}

static unsigned number_of(const char *name)
{
    const char *value = getenv(name);
    const unsigned long number = value ? strtoul(value, NULL, 10) : 1;
    return number > 1 && number < 1000000 ? (unsigned)number : 1;
}

unsigned test_part(unsigned count)
{
    const unsigned part = count / number_of("TEST_PART");
    return part ? part : 1;
}

void test_add_some(TCase *tcase, const TTest *test, unsigned count)
{
    for (unsigned i = 0; i < count; i += number_of("AGAIN_STEP"))
        tcase_add_loop_test(tcase, test, (int)i, (int)i + 1);
}

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
