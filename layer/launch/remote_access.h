/* SPDX-License-Identifier: MIT */
/*
 * One home in place of shadows: where all devices of a split launch reach the memory in which one of them
 * has a buffer (peer.h), kernels may use it there, through objects of their own over the same memory
 * (aliases). Reads at places not known need no copy on each device then, and writes no comparison and no
 * merging.
 *
 * Why that is right: without atomics (a launch with some on the buffer keeps to the other ways) what
 * work-groups read or write of it at places that others write in the same launch is undefined on one device,
 * too; all else is as there, as each store reaches the one memory as it is, whatever lies beside it. What is
 * relied on is that the driver's kernels see, from their start, what was written there by commands that the
 * host knows to be over, and that what they wrote is seen once they are over: as with slots
 * (transport_bounce.c).
 *
 * Order: a package that visits begins when all that was planned for the home before the launch is over, and
 * copies that others make of its memory. When all packages are assigned, the home's timeline gets a job that
 * ends with the last of them, and does nothing: whatever uses the memory later comes behind that, as it would
 * behind a kernel of the home's own. The map says that the home holds what was written.
 *
 * Which launches: remote_access_rules.h. Thread-safety: context->lock. Previous stage: plan.c. Next: split.c.
 */
#ifndef CX_LAYER_LAUNCH_REMOTE_ACCESS_H
#define CX_LAYER_LAUNCH_REMOTE_ACCESS_H

#include "layer/plan/plan.h"

struct cx_job;

/* Gives the parts elsewhere arguments of their own. The launch was kept. False: no memory. */
bool cx_remote_access_begin(struct cx_launch *launch);
/* Whether the launch uses memory that is not the member's own there. */
bool cx_remote_access_uses(const struct cx_launch *launch, unsigned member);
/* The member refused a package: the memory of the home may be the reason, and it does not use that again.
 * Gives whether that was not known. */
bool cx_remote_access_suspect(const struct cx_launch *launch, unsigned member);
/* A job for cx_remote_access_end, which cannot fail. NULL: no memory. */
struct cx_job *cx_remote_access_job(const struct cx_launch *launch);
/* All packages are assigned, and part i's last job is seq[i]: plans the job. */
void cx_remote_access_end(struct cx_launch *launch, struct cx_job *job, const uint64_t *seq);

#endif
