/* SPDX-License-Identifier: MIT */
/*
 * Runs one suite of the scheduler's tests, named by the argument.
 */
#include "tap.h"
#include "tests/scheduler/suites.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    Suite *(*create)(void);
} suites[] = {
    {"properties", cx_test_properties}, {"formulas", cx_test_formulas},
    {"published", cx_test_published},   {"balance", cx_test_balance},
    {"admission", cx_test_admission},   {"reexecute", cx_test_reexecute},
    {"migration", cx_test_migration},   {"parts", cx_test_parts},
    {"memory", cx_test_memory},         {"overlap", cx_test_overlap},
    {"budget", cx_test_budget},         {"budget_rows", cx_test_budget_rows},
    {"chains", cx_test_chains},         {"play", cx_test_play},
    {"drift", cx_test_drift},           {"energy", cx_test_energy},
    {"power_fit", cx_test_power_fit},   {"derive", cx_test_derive},
    {"objective", cx_test_objective},   {"marrow", cx_test_marrow},
    {"occupancy", cx_test_occupancy},   {"follow", cx_test_follow},
};

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc == 2 && i < sizeof(suites) / sizeof(suites[0]); i++) {
        if (strcmp(argv[1], suites[i].name) == 0)
            return tap_run(suites[i].create());
    }
    fprintf(
        stderr,
        "usage: test_scheduler "
        "properties|formulas|published|balance|admission|reexecute|migration|parts|memory|overlap|"
        "budget|budget_rows|chains|play|drift|energy|power_fit|derive|objective|marrow|occupancy|follow\n");
    return 2;
}
