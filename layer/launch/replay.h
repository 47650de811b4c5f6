/* SPDX-License-Identifier: MIT */
/*
 * Launches like one before: the same function and range, while all that they touch lies where that one ran.
 * They are a job of that device and nothing else, with neither a command nor a decision of their own, which
 * is most of what a short launch costs the program's thread.
 *
 * A launch may be repeated where what decided that it stays whole asks for no more than that (too short, one
 * device), nobody watches (events, profiling, traces, summaries, logs) and the program has one queue, in
 * order. After some repetitions one is planned again: speeds may have changed, or a split may be possible by
 * now. Each of them is ordered, referenced and reported as a command would be: the queue's cone covers it
 * (command.h), it keeps kernel and buffers, its failure is the queue's.
 * Previous stage: enqueue_kernel.c. Next: worker.h. Thread-safety: see each.
 */
#ifndef CX_LAYER_LAUNCH_REPLAY_H
#define CX_LAYER_LAUNCH_REPLAY_H

#include "layer/plan/kernel_history.h"

struct cx_args;
struct cx_kernel;
struct cx_launch;
struct cx_queue;
struct cx_summary_kernel;

/* The launch ran whole on the member, untimed and with all its memory there: it may be repeated, if
 * launch->repeats and nobody watches. context->lock held. */
void cx_replay_note(const struct cx_launch *launch, unsigned member, const struct cx_summary_kernel *summary,
                    double seconds);

/* Launches the kernel as one before, if that may be; the call had no wait list and wants no event. True:
 * done, and *args, captured, is taken over. False: nothing was done. The caller holds no lock. */
bool cx_replay_launch(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args **args,
                      const struct cx_access_geometry *geometry, bool local_given);

#endif
