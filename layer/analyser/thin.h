/* SPDX-License-Identifier: MIT */
/*
 * Keeps summaries small: what an argument's accesses touch becomes "anywhere" where there are more of them
 * than a launch could be judged by in time. The kernel still splits, by other means.
 */
#ifndef CX_LAYER_ANALYSER_THIN_H
#define CX_LAYER_ANALYSER_THIN_H

#include "layer/access/summary.h"

/* The argument with the most records to save; kernel->narg where there is nothing to save. Called by
 * kernel.c and scan.c. */
uint32_t cx_thin_pick(const struct cx_summary_kernel *kernel);
/* One record for each kind of access to the argument, at an unknown place. Called by kernel.c and scan.c. */
void cx_thin_arg(struct cx_summary_kernel *kernel, uint32_t arg);
/* A record as cx_thin_arg() makes them. Called by scan.c. */
void cx_thin_record(struct cx_access_record *record);
/* Takes a record at an unknown place into another one of its kind. Called by scan_store.c. */
void cx_thin_join(struct cx_access_record *into, const struct cx_access_record *more);
/* What judging one launch costs, in nodes evaluated, and what it may cost. Called by kernel.c. */
uint64_t cx_thin_cost(const struct cx_summary_kernel *kernel);
#define CX_THIN_MOST UINT64_C(300000)

#endif
