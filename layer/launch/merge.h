/* SPDX-License-Identifier: MIT */
/*
 * Merges writes of a split launch to unknown places by twin and diff: what changed is found afterwards and
 * combined.
 *
 * Every place that takes part starts from the same contents and keeps a copy of them, the twin (on the
 * device; for members that work in place, one copy of the host copy). When all packages have been started,
 * each place finds the blocks that changed there (diff.h). A block changed at one place changes owner and
 * does not move. Blocks changed at several places are moved to the host and combined unit by unit. A unit is
 * as wide as the narrowest store to that buffer, so no value is mixed of two. Previous stage: split.c. All
 * functions are called under context->lock.
 */
#ifndef CX_LAYER_LAUNCH_MERGE_H
#define CX_LAYER_LAUNCH_MERGE_H

#include "layer/plan/plan.h"

struct cx_merge;

/*
 * For arguments with the protocol MERGE: moves the contents to every member's place and queues the jobs that
 * make the twins. Called by split.c before the packages' jobs are queued. *merge stays NULL if no argument
 * needs it. Errors: CL_OUT_OF_HOST_MEMORY or a driver's (a twin does not fit); then only moves were queued.
 */
cl_int cx_merge_begin(struct cx_launch *launch, struct cx_cached_verdict *judged,
                      const struct cx_access_region *whole, const unsigned *member, unsigned n,
                      struct cx_merge **merge) CX_HOLDS(cx_context_locked);
/*
 * All packages are started, and part i's last job is seq[i]: queues the search for changed blocks.
 * decided(data) is called, under context->lock, once the owners of all bytes are recorded (maybe at once).
 * Takes the merge over. Called by split.c.
 */
void cx_merge_end(struct cx_merge **merge, const uint64_t *seq, void (*decided)(void *data), void *data)
    CX_HOLDS(cx_context_locked);
/* Drops a merge that was begun and not ended; its jobs may still run. Called by split.c. */
void cx_merge_drop(struct cx_merge **merge) CX_HOLDS(cx_context_locked);

#endif
