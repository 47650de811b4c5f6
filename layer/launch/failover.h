/* SPDX-License-Identifier: MIT */
/*
 * Failover: a share of a launch whose owners are settled, and which its member failed to run, is run on
 * another member. Later commands may be planned already and expect the results at the planned place. So the
 * other member works on copies of the failed member's data, and what it writes is copied back to the failed
 * member's memory. Previous stage: static.c. Beside: reexecute.h, for launches that are not settled yet.
 */
#ifndef CX_LAYER_LAUNCH_FAILOVER_H
#define CX_LAYER_LAUNCH_FAILOVER_H

#include "layer/plan/plan.h"

/* Runs work-groups [first, end) along dim, a share of the worker's member, on another one. started: the
 * driver had accepted them before it failed, so some may have been done; then nothing that is written may
 * also be read. Waits on the host. The caller holds no lock, runs the worker's jobs, and has run none behind
 * this one. CL_SUCCESS: the results are in place. On an error the results are undefined. Called by
 * split_package.c and static.c. */
cl_int cx_failover_share(struct cx_launch *launch, struct cx_worker *worker, const struct cx_part *part,
                         unsigned dim, uint64_t first, uint64_t end, bool started);
/* Runs a whole launch that the worker's driver refused on a member that reports to accept it, or has not
 * refused it where no report could tell. Returns a refusal if none does. Called by whole.c. */
cl_int cx_failover_whole(struct cx_launch *launch, struct cx_worker *worker, cl_int refusal);

#endif
