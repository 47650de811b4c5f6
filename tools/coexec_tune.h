/* SPDX-License-Identifier: MIT */
/*
 * The inside of `coexec tune`: ways to run a program, and what came of them. One thread.
 */
#ifndef CX_TOOLS_COEXEC_TUNE_H
#define CX_TOOLS_COEXEC_TUNE_H

#include "tools/coexec_bench.h"

enum { CX_TUNE_SETTINGS = 64, CX_TUNE_RUNS = 32 };

/* One way: a balancer with its parameters and, where it is static with set shares, the devices' powers. */
struct cx_tune_setting {
    char algo[CX_BENCH_ALGO];
    char powers[128];             /* "60:40"; "": what coexec knows */
    double seconds[CX_TUNE_RUNS]; /* by what is compared; those of the runs that went well */
    unsigned runs;
    bool out;          /* it is not run again */
    char problem[256]; /* why not; "": it is too slow beside others */
};

/* Fills settings[0 .. CX_TUNE_SETTINGS-1] with auto, which is the first, the other balancers, those sweeps of
 * parameters that the papers call best, and for two devices static with its share swept (the "oracle").
 * balancers: a list as `coexec bench --algos` has it, in place of all that; NULL: none. Gives how many, 0
 * with a message where the list is wrong. Called by coexec_tune.c. */
unsigned cx_tune_settings(struct cx_tune_setting *settings, const char *balancers, unsigned devices);

/* Median of its seconds; 0: it has none. Called by coexec_tune.c. */
double cx_tune_median(const struct cx_tune_setting *setting);
/* Whether all runs of `one` took less than all of `other`, and in the median less than 0.98 of it. Called by
 * coexec_tune.c. */
bool cx_tune_is_faster(const struct cx_tune_setting *one, const struct cx_tune_setting *other);

#endif
