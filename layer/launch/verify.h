/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_VERIFY: split launches run also whole on one device, on copies of all buffers, and what the two left
 * in memory is compared.
 *
 * The whole run is the program's own kernel on private copies taken before any package starts; it shares
 * nothing with the split but the host copy. A difference costs one line on stderr. Previous stage: plan.c
 * decided for a split. Beside: static.c, split.c. context->lock held unless said otherwise.
 */
#ifndef CX_LAYER_LAUNCH_VERIFY_H
#define CX_LAYER_LAUNCH_VERIFY_H

#include <stdint.h>

struct cx_launch;
struct cx_mem;
struct cx_split_plan;
struct cx_verify;

/* Before anything of the split launch is planned: if it is its turn, takes copies of its buffers and queues
 * the whole run; launch->verify is set then. Whatever fails here or later leaves the launch unverified and
 * is told, but never fails it. Called by start.c. */
void cx_verify_begin(struct cx_launch *launch, const struct cx_split_plan *plan);
/* Before the split launch settles, its owners known: queues the comparison. The command ends after it.
 * Nothing to do where launch->verify is NULL. Called by split.c and static.c. */
void cx_verify_end(struct cx_launch *launch);
/* While changes are put together, of a launch with launch->verify: two devices gave byte `at` of the root,
 * and those of one store with it, unlike values, so that work-groups race. On the host's worker, without
 * locks. Called by merge_combine.c. */
void cx_verify_raced(const struct cx_launch *launch, const struct cx_mem *root, uint64_t at);
/* When the launch is dropped; without locks. Accepts a pointer to NULL. Called by api/enqueue_kernel.c. */
void cx_verify_free(struct cx_verify **verify);

#endif
