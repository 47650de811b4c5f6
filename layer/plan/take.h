/* SPDX-License-Identifier: MIT */
/*
 * What drivers said to whole launches of a function: a work-group size is taken or refused by the driver, not
 * by what it reports. NVIDIA's takes some that are over CL_KERNEL_WORK_GROUP_SIZE, and refuses some within it
 * for want of registers; programs that tune themselves try them all.
 *
 * A launch in a form that its member never took is unproven. What it may write is brought to the member like
 * what it reads, since a launch that is refused leaves all as it was. Where the call that enqueues it still
 * runs, the refusal is that call's answer (enqueue_kernel.c); later it is the event's.
 * Thread-safety: under context->lock, save cx_take_refuse.
 */
#ifndef CX_LAYER_PLAN_TAKE_H
#define CX_LAYER_PLAN_TAKE_H

#include <stdbool.h>
#include <stdint.h>

struct cx_launch;

enum { CX_TAKE_FORMS = 16 };

/* By form, the newest first: which members took it last time, and which refused it, as bits. */
struct cx_takes {
    struct cx_take {
        uint64_t form; /* 0: none */
        uint64_t taken, refused;
    } of[CX_TAKE_FORMS];
};

/* What the call that enqueues a launch waits to hear. */
enum cx_asked {
    CX_ASKED_NOT = 0,   /* nothing, or not any more */
    CX_ASKED_WAITS = 1, /* whether the driver refuses it; below 0: the refusal, which that call then tells */
};

/* For planning: members known to refuse the launch are not tried again while others may take it. */
void cx_take_begin(struct cx_launch *launch);
bool cx_take_refused(const struct cx_launch *launch, unsigned member);
bool cx_take_known(const struct cx_launch *launch, unsigned member);
/* The member's driver took the unproven launch. */
void cx_take_note(struct cx_launch *launch, unsigned member);
/* It refused it. Whether the call that enqueues it tells. Takes context->lock. */
bool cx_take_refuse(struct cx_launch *launch, unsigned member, int error);

#endif
