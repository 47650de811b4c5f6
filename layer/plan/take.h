/* SPDX-License-Identifier: MIT */
/*
 * Records which whole launches of a function drivers accepted. Whether a work-group size is accepted cannot
 * be told from a driver's reports: NVIDIA's accepts some above CL_KERNEL_WORK_GROUP_SIZE, and refuses some
 * below it for lack of registers; programs that tune themselves try them all.
 *
 * A launch in a form that its member has not accepted before is unproven. What it may write is moved to the
 * member like what it reads, since a refused launch must leave everything unchanged. If the enqueueing call
 * still waits, it returns the refusal (enqueue_kernel.c); otherwise the event reports it. Thread-safety:
 * under context->lock, save cx_take_refuse.
 */
#ifndef CX_LAYER_PLAN_TAKE_H
#define CX_LAYER_PLAN_TAKE_H

#include "layer/timeline/context.h"

#include <stdbool.h>
#include <stdint.h>

struct cx_launch;

enum { CX_TAKE_FORMS = 16 };

/* By form, newest first: the members, as bits, that accepted it last time, and that refused it. */
struct cx_takes {
    struct cx_take {
        uint64_t form; /* 0: none */
        uint64_t taken, refused;
    } of[CX_TAKE_FORMS];
};

/* What the call that enqueues a launch waits for. */
enum cx_asked {
    CX_ASKED_NOT = 0,   /* nothing, or not any more */
    CX_ASKED_WAITS = 1, /* whether the driver refuses it; below 0: the refusal, which the call returns */
};

/* Called when a launch is planned: members known to refuse it are not tried again while others may accept it.
 * begin: looks up its form. refused, known: whether the member refuses it, or its answer is known. */
void cx_take_begin(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
bool cx_take_refused(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
bool cx_take_known(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Records that the member's driver accepted the unproven launch. Called by launch/whole.c. */
void cx_take_note(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Records that it refused it. Returns whether the enqueueing call reports that. Takes context->lock.
 * Called by launch/whole.c. */
bool cx_take_refuse(struct cx_launch *launch, unsigned member, int error);

#endif
