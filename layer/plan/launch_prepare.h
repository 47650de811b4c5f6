/* SPDX-License-Identifier: MIT */
/*
 * Prepares a launch for the decision: allocates memory on a member, and chooses write protocols. Called under
 * context->lock.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_PREPARE_H
#define CX_LAYER_PLAN_LAUNCH_PREPARE_H

#include "layer/plan/plan.h"

/* Allocates every memory object and sampler among the arguments on the member. Errors: the driver's, which
 * are logged. Called by plan_place.c and plan_share.c. */
cl_int cx_launch_prepare(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);

/* Chooses the write protocols (launch->decision.protocols) of a launch that these members share. False: no
 * memory. Called by plan.c. */
bool cx_launch_choose_protocols(struct cx_launch *launch, const struct cx_cached_verdict *judged,
                                const unsigned *member, unsigned n);

/* The kernel's summary if it describes all accesses. Otherwise NULL: the kernel may access more than the
 * summary says. Called by plan.c, launch/launch.c and launch/whole.c. */
const struct cx_summary_kernel *cx_launch_accesses(const struct cx_kernel *kernel);

/* Whether a launch may write through an argument that is a memory object. summary: of cx_launch_accesses.
 * Drivers ensure that images passed for reading are not written. Called by result_use.c, launch/launch.c
 * and launch/whole.c. */
bool cx_launch_args_may_write(const struct cx_args *args, const struct cx_summary_kernel *summary,
                              unsigned i);
/* Whether the launch writes bytes through the argument by this protocol (CX_PROTOCOL_MERGE or
 * CX_PROTOCOL_REDUCTION); bytes_by: how many bytes all arguments together. whole: the launch's regions, by
 * argument. Called by candidates.c, remote_access_rules.c, launch/merge.c and launch/private_copies.c. */
bool cx_launch_writes_by(const struct cx_launch *launch, unsigned arg, enum cx_write_protocol protocol,
                         const struct cx_access_region *whole);
uint64_t cx_launch_bytes_by(const struct cx_launch *launch, enum cx_write_protocol protocol,
                            const struct cx_access_region *whole);

#endif
