/* SPDX-License-Identifier: MIT */
/*
 * Weak scaling of the programs of `coexec bench`. See coexec_bench_weak.c.
 */
#ifndef CX_TOOLS_COEXEC_BENCH_WEAK_H
#define CX_TOOLS_COEXEC_BENCH_WEAK_H

#include "tools/coexec_bench_start.h"

struct cx_bench_weak {
    struct cx_bench_start *start;
    const struct cx_bench_set *set;
    const char (*algo)[CX_BENCH_ALGO];
    unsigned nsets, nalgos, runs;
    unsigned programs;                        /* that were measured */
    double sum[CX_BENCH_ROWS][CX_BENCH_ROWS]; /* of their efficiencies' logarithms, by set and balancer */
};

/* Runs the programs of which it is known how their work grows, and prints a table. False: a run failed, or a
 * program gives no size. Called by coexec_bench.c. */
bool cx_bench_weak(struct cx_bench_weak *weak, const struct cx_bench_case *jobs, size_t count);
/* The size at which a program whose work grows as that power of it has `maximum` times the work, about. */
unsigned long long cx_bench_weak_size(unsigned long long size, unsigned power, double maximum);

#endif
