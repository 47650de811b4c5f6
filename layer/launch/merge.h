/* SPDX-License-Identifier: MIT */
/*
 * Merging unknown writes: what a split launch wrote is found out afterwards and put together.
 *
 * Every place that takes part starts from the same contents and keeps a copy of them (on the device; for
 * members that work in place one copy of the host copy). When all packages have been started, each place
 * finds the blocks that changed there (diff.h). A block changed at one place changes owner and moves nowhere;
 * blocks changed at several are brought to the host and put together unit by unit, a unit being the narrowest
 * store to that buffer, so that no value is ever mixed of two. Source: design section 3, second way. Previous
 * stage: split.c. All functions under context->lock.
 */
#ifndef CX_LAYER_LAUNCH_MERGE_H
#define CX_LAYER_LAUNCH_MERGE_H

#include "layer/plan/plan.h"

struct cx_merge;

/*
 * For the launch's arguments whose way is MERGE: brings the contents to every member's place and queues the
 * jobs that copy them there. Call before the packages' jobs are queued. *merge stays NULL where no argument
 * needs it. Errors: CL_OUT_OF_HOST_MEMORY or a driver's (a copy does not fit); nothing was queued then but
 * moves.
 */
cl_int cx_merge_begin(struct cx_launch *launch, struct cx_cached_verdict *judged,
                      const struct cx_access_region *whole, const unsigned *member, unsigned n,
                      struct cx_merge **merge);
/*
 * All packages are started, and part i's last job is seq[i]: queues the search for changed blocks.
 * decided(data) is called once the owners of all bytes are known and noted (maybe at once), under
 * context->lock. Takes the merge over.
 */
void cx_merge_end(struct cx_merge **merge, const uint64_t *seq, void (*decided)(void *data), void *data);
/* Gives up a merge that was begun and not ended, whose jobs may still run. */
void cx_merge_drop(struct cx_merge **merge);

#endif
