/* SPDX-License-Identifier: MIT */
/*
 * How `coexec bench` starts a program: alone on a device or on each at the same time, through coexec, or
 * split by its own hand. All take as long as the program; *result must be zeroed.
 */
#ifndef CX_TOOLS_COEXEC_BENCH_START_H
#define CX_TOOLS_COEXEC_BENCH_START_H

#include "tools/coexec_bench.h"

#include <limits.h>

struct cx_bench_start {
    const struct cx_machine *machine;
    const char *examples, *preset; /* the folder they are in */
    unsigned repeat, limit;        /* seconds that the next run may take */
    bool check;
    const char *size;                      /* in place of the preset's; NULL: that */
    char self[PATH_MAX], folder[PATH_MAX]; /* this program; where .icd files are put */
    char caches[PATH_MAX];                 /* where programs keep what they build; "": where they always do */
};

/* Fills in self and folder, and makes that. Returns an exit status, with a message where it is not 0, in the
 * name of the subcommand. */
int cx_bench_start_init(struct cx_bench_start *start, const char *subcommand);
/* From here on programs keep what they build in a folder of that name, which is empty at first. False: errno.
 */
bool cx_bench_start_caches(struct cx_bench_start *start, const char *name);
/* Removes the folder. */
void cx_bench_start_finish(const struct cx_bench_start *start);

/* The program alone with the device's own driver. */
void cx_bench_start_bare(const struct cx_bench_start *start, const struct cx_bench_program *program,
                         const struct cx_real_device *device, struct cx_bench_result *result);
/* Through coexec, as `coexec run` starts it; devices as in COEXEC_DEVICES. */
void cx_bench_start_through(const struct cx_bench_start *start, const struct cx_bench_program *program,
                            const char *devices, const char *algo, struct cx_bench_result *result);
/* The same with static, by the best of all shares of the row's two devices (CX_BENCH_ORACLE). */
void cx_bench_start_oracle(const struct cx_bench_start *start, const struct cx_bench_program *program,
                           const char *devices, struct cx_bench_result *result);
/* The program's own version split by hand over the row's devices, by the times that the rows of the job have
 * for each device alone so far. */
void cx_bench_start_native(const struct cx_bench_start *start, const struct cx_bench_case *job,
                           const struct cx_bench_row *row, struct cx_bench_result *result);
/* The program alone on each of the row's devices, all at the same time (CX_BENCH_TOGETHER). */
void cx_bench_start_together(const struct cx_bench_start *start, const struct cx_bench_case *job,
                             const struct cx_bench_row *row, struct cx_bench_result *result);

#endif
