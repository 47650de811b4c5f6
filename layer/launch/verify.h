/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_VERIFY: a split launch also runs whole on one device, on copies of all buffers, and the results of
 * both are compared.
 *
 * The whole run is the program's own kernel on copies taken before any package starts; it shares only the
 * host copy with the split. A difference is logged in one line.
 *
 * A launch that is split first and checked afterwards (speculation.h) may differ from a whole run by right:
 * its work-groups run in an order that OpenCL allows, but perhaps in another one. So its packages run again,
 * on one device, in the very order that the check says they may be taken to have run in, once it stands. They
 * do so twice: where the two runs differ, it is chance that decides within a package, and nothing is said of
 * the split.
 *
 * Previous stage: plan.c decided for a split. Beside: static.c, split.c. context->lock held unless said
 * otherwise.
 */
#ifndef CX_LAYER_LAUNCH_VERIFY_H
#define CX_LAYER_LAUNCH_VERIFY_H

#include "layer/timeline/context.h"

#include <stdint.h>

struct cx_launch;
struct cx_mem;
struct cx_split_plan;
struct cx_verify;

/* Called before anything of the split launch is planned. If the launch is to be verified, copies its buffers,
 * queues the whole run, and sets launch->verify. A failure here or later leaves the launch unverified and is
 * logged, but never fails it. Called by start.c. */
void cx_verify_begin(struct cx_launch *launch, const struct cx_split_plan *plan) CX_HOLDS(cx_context_locked);
/* A package of the launch: groups along the dimension it was split in. */
struct cx_verify_package {
    uint64_t first, end;
};
/* Called before cx_verify_end if the launch was checked and stands: its packages in the order they count as
 * having run in; the array is taken over (NULL: no memory). Does nothing if launch->verify is NULL. Called by
 * split.c. */
void cx_verify_claim(struct cx_launch *launch, struct cx_verify_package *packages, unsigned count)
    CX_HOLDS(cx_context_locked);
/* The launch was undone and will run whole: nothing is left to verify. Called by split.c. */
void cx_verify_forget(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Called before the split launch settles, when its owners are known: queues the comparison, after which the
 * command ends. Does nothing if launch->verify is NULL. Called by split.c and static.c. */
void cx_verify_end(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Called by a merge, of a launch with launch->verify: two devices wrote different values to byte `at` of the
 * root, so work-groups race. Called on the host's worker, without locks. Called by merge_combine.c. */
void cx_verify_raced(const struct cx_launch *launch, const struct cx_mem *root, uint64_t at);
/* Called when the launch is freed; without locks. Accepts a pointer to NULL. Called by api/enqueue_kernel.c.
 */
void cx_verify_free(struct cx_verify **verify);

#endif
