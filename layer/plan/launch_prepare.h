/* SPDX-License-Identifier: MIT */
/*
 * What a launch needs before it is decided where it runs: memory on a member, and how its writes are kept
 * right. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_PREPARE_H
#define CX_LAYER_PLAN_LAUNCH_PREPARE_H

#include "layer/plan/plan.h"

/* Allocates every memory object and sampler among the arguments on the member.
 * Errors: the driver's, told. */
cl_int cx_launch_prepare(struct cx_launch *launch, unsigned member);

/* Decides the ways of a launch that these members share (launch->ways). False: no memory. */
bool cx_launch_choose_protocols(struct cx_launch *launch, const struct cx_cached_verdict *judged,
                                const unsigned *member, unsigned n);

/* The kernel's summary where it tells of all accesses, else NULL: what forbids a split may also mean that
 * some escape it. */
const struct cx_summary_kernel *cx_kernel_accesses(const struct cx_kernel *kernel);

/* Whether a launch may write through an argument that is a memory object. summary: as above. Of images the
 * drivers see to it that those for reading are not written. */
bool cx_args_may_write(const struct cx_args *args, const struct cx_summary_kernel *summary, unsigned i);
/* Whether what the launch writes through the argument is kept right so: CX_PROTOCOL_MERGE or
 * CX_PROTOCOL_REDUCTION. whole: what it touches, by argument. bytes: how many that are in all. */
bool cx_launch_writes_by(const struct cx_launch *launch, unsigned arg, enum cx_write_protocol protocol,
                         const struct cx_access_region *whole);
uint64_t cx_launch_bytes_by(const struct cx_launch *launch, enum cx_write_protocol protocol,
                            const struct cx_access_region *whole);

#endif
