/* SPDX-License-Identifier: MIT */
/*
 * Remote access: if all devices of a split launch reach the memory in which one of them, the owner, has a
 * buffer (peer.h), kernels may use the buffer there, through objects over the same memory (aliases). Then
 * reads at unknown places need no copy on each device, and writes need no comparison and no merging.
 *
 * Why this is correct: launches with atomics on the buffer do not use it. Without atomics, what a work-group
 * reads or writes at places that others write in the same launch is undefined on one device as well.
 * Everything else is as on one device, since each store reaches the one memory unchanged, whatever lies
 * beside it. Drivers are relied upon for this: a kernel sees from its start what was written there by
 * commands that the host knows to be complete, and its own writes are visible once it is complete. Bounce
 * buffers (transport_bounce.c) rely on the same.
 *
 * Order: a package with remote access begins when everything planned for the owner before the launch is
 * complete, and so are copies that others make of its memory. When all packages are assigned, the owner's
 * timeline gets an empty job that ends with the last of them: whatever uses the memory later waits for that
 * job, as for a kernel of the owner itself. The coherence map says that the owner holds what was written.
 *
 * remote_access_rules.h says which launches do this. Thread-safety: context->lock. Previous stage: plan.c.
 * Next: split.c.
 */
#ifndef CX_LAYER_LAUNCH_REMOTE_ACCESS_H
#define CX_LAYER_LAUNCH_REMOTE_ACCESS_H

#include "layer/plan/plan.h"

struct cx_job;

/* Gives the parts of other members than the owner their own arguments, with aliases. Called after
 * cx_remote_access_confirm. False: no memory. Called by split.c. */
bool cx_remote_access_begin(struct cx_launch *launch);
/* Whether the launch's packages on this member use the owner's memory. Called by split_inputs.c. */
bool cx_remote_access_uses(const struct cx_launch *launch, unsigned member);
/* Called when the member refused a package: the owner's memory may be the reason, so remote access is
 * disabled for the pair. Returns whether it was enabled. */
bool cx_remote_access_suspect(const struct cx_launch *launch, unsigned member);
/* Makes the job for cx_remote_access_end beforehand, so that that cannot fail. NULL: no memory. Called by
 * split.c. */
struct cx_job *cx_remote_access_job(const struct cx_launch *launch);
/* All packages are assigned, and part i's last job is seq[i]: plans the owner's empty job. Called by
 * split.c. */
void cx_remote_access_end(struct cx_launch *launch, struct cx_job *job, const uint64_t *seq)
    CX_HOLDS(cx_context_locked);

#endif
