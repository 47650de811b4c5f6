/* SPDX-License-Identifier: MIT */
/*
 * Replays launches: if a launch has the same function and range as one before, or a like range where that one
 * was short, and all its data lies where that one ran, it becomes a job of that device and nothing else,
 * without a command and a decision. These are most of what a short launch costs the program's thread.
 *
 * A launch may be replayed if the reason why it stays whole holds for all like it (too short, one device) or
 * for a moment (others are closed, the account is empty: two milliseconds of launches), if nothing observes
 * it (events, profiling, traces, logs), and if the program has one queue, in order. After some
 * replays one launch is planned again, since speeds may have changed, or a split may be possible by now. A
 * replayed launch is ordered, referenced and reported as a command: the queue's frontier covers it
 * (command.h), it keeps references to kernel and buffers, and the queue reports its failure.
 * Previous stage: enqueue_kernel.c. Next: worker.h. Thread-safety: see each.
 */
#ifndef CX_LAYER_LAUNCH_REPLAY_H
#define CX_LAYER_LAUNCH_REPLAY_H

#include "layer/plan/kernel_history.h"
#include "layer/timeline/context.h"

struct cx_args;
struct cx_kernel;
struct cx_launch;
struct cx_queue;
struct cx_summary_kernel;

/* The launch ran whole on the member, untimed and with all its memory there: records it for replays, if
 * decision.repeats allows it and nothing observes it. context->lock held. Called by whole.c. */
void cx_replay_note(const struct cx_launch *launch, unsigned member, const struct cx_summary_kernel *summary,
                    double seconds) CX_HOLDS(cx_context_locked);

/* Replays the launch, if it may be; the call had no wait list and wants no event. True: done, and *args,
 * captured, is taken over. False: nothing was done. The caller holds no lock. Called by
 * api/enqueue_kernel.c. */
bool cx_replay_launch(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args **args,
                      const struct cx_access_geometry *geometry, bool local_given);

#endif
