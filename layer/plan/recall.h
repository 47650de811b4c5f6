/* SPDX-License-Identifier: MIT */
/*
 * Enters what former processes learned of a kernel and size into the history of its function, before there
 * are measurements, and keeps what this process measures (layer/knowledge/knowledge.h).
 *
 * What it may decide: a launch whose arguments have the values and sizes of the one that was measured, or
 * whose length hardly depended on them, is expected to take as long; then devices' speeds, the cost along its
 * range, and what its splits took beside whole launches count as if this process had measured them. For any
 * other arguments, and for sizes that never ran, only the relation of the devices' speeds counts, from when
 * this process has measured a length: for those sizes it is derived (scheduler/derive.h). Nothing goes past
 * the stake (plan_stake.h): a split has to gain by its bound, or is paid from the account. What is expected
 * gives way to the first measurement: a length at once, speeds by four fifths with the first launch, and a
 * split that lost, in place of gaining as expected, ends the trust in splits.
 * Thread-safety: context->lock. Previous stage: plan_stake.h, which asks where it knows no length.
 */
#ifndef CX_LAYER_PLAN_RECALL_H
#define CX_LAYER_PLAN_RECALL_H

#include "layer/plan/plan.h"

/* Hash of the values and sizes of a launch's arguments, not of contents. Called by launch_stats.c. */
uint64_t cx_recall_arguments(const struct cx_launch *launch);
/* Seconds that the launch takes whole on the context's fastest member, by former processes; enters all else
 * that they tell. 0: they do not tell that. shape: hash of the range and local size, which is asked for once.
 * Called by plan_stake.c. */
double cx_recall_length(const struct cx_launch *launch, struct cx_kernel_history *history, uint64_t shape)
    CX_HOLDS(cx_context_locked);
/* This process has measured, or guessed, how long the launch takes whole: enters the speeds of members that
 * only former processes measured, as they were beside the fastest one's. Called by plan_stake.c. */
void cx_recall_speeds(const struct cx_launch *launch, struct cx_kernel_history *history, double seconds)
    CX_HOLDS(cx_context_locked);

/* The program made a kernel: has its program built for other devices, and these opened, where its splits
 * saved the last processes many times what that costs, so that the first launch finds them ready; and has
 * made what the first launch would have to: the kernel's hash and history, and the library's code in the
 * caches. Takes context->lock. Called through a pointer set in api/context.c. */
void cx_recall_kernel(struct cx_kernel *kernel);
/* Enters what policies found out about the kernel in former processes, where this one found nothing, at the
 * first call at which the base has been read. Called by plan_share.c. */
void cx_recall_tuning(const struct cx_launch *launch, struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked);
/* Seconds that opening the member took a former process; 0: not known. Called by plan_open.c. */
double cx_recall_opening(const struct cx_context *context, unsigned member) CX_HOLDS(cx_context_locked);

/* Keeps the measured length of a whole launch on the fastest member. Called by plan_stake.c. */
void cx_recall_keep_length(const struct cx_launch *launch, struct cx_kernel_history *history, double seconds)
    CX_HOLDS(cx_context_locked);
/* Keeps what is known of members' speeds after a split that measured one of them; whole: seconds of the whole
 * launch. Called by plan_stake.c. */
void cx_recall_keep_probe(const struct cx_launch *launch, struct cx_kernel_history *history, double whole)
    CX_HOLDS(cx_context_locked);
/* Keeps a split that is over after `elapsed` seconds, where one device would have taken `whole`, and what is
 * known of members' speeds by now. Called by plan_stake.c. */
void cx_recall_keep_split(const struct cx_launch *launch, struct cx_kernel_history *history, double whole,
                          double elapsed) CX_HOLDS(cx_context_locked);

#endif
