/* SPDX-License-Identifier: MIT */
/*
 * A share of a launch whose owners are settled, which its member failed to run, is run on another member.
 *
 * Later commands may be planned already and count on the results being where the plan says. So the other
 * member works on copies, made of what the failed one holds, and what it writes is put there. Previous stage:
 * static.c. Beside: reexecute.h, for launches that are not settled yet.
 */
#ifndef CX_LAYER_LAUNCH_FAILOVER_H
#define CX_LAYER_LAUNCH_FAILOVER_H

#include "layer/plan/plan.h"

/* Work-groups [first, end) along dim, of a part of the worker's member. started: the driver took them before
 * it failed, so that some may have been done; then nothing that is written may also be read. Waits on the
 * host; the caller holds no lock, runs the worker's jobs, and has run none behind this one. CL_SUCCESS: the
 * results are in place. Errors: nothing can be said about them. */
cl_int cx_failover_share(struct cx_launch *launch, struct cx_worker *worker, const struct cx_part *part,
                         unsigned dim, uint64_t first, uint64_t end, bool started);
/* The same for a whole launch that the worker's driver refused, by members that report that they take it. A
 * refusal, where none does. */
cl_int cx_failover_whole(struct cx_launch *launch, struct cx_worker *worker, cl_int refusal);

#endif
