/* SPDX-License-Identifier: MIT */
/*
 * What a process may do to an OpenCL driver besides calling it well: fork, end with work in flight, close the
 * library, call from many threads and from callbacks, take signals. One case a process, named on the command
 * line; check_process.py runs them all. A case ends with status 0 when every answer was right; a hang is for
 * the caller to notice.
 */
#include "cases.h"
#include "use.h"

#include <string.h>

#define CASE(name) {#name, case_##name},
static const struct {
    const char *name;
    int (*run)(void);
} cases[] = {CASES(CASE)};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc < 2) {
            puts(cases[i].name);
        } else if (strcmp(argv[1], cases[i].name) == 0) {
            load();
            return cases[i].run();
        }
    }
    return argc < 2 ? 0 : 64;
}
