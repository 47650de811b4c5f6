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
 *
 * Packages. A launch beyond what drivers report is split once some member has accepted one of its form whole,
 * over members that did, too, or that are of one kind with one that did. Nearly all kernels run as packages
 * by a variant of their program (subrange.h), which may need more registers, so a driver that accepted the
 * program's own kernel may refuse them. What drivers tell of that is their limit for the variant: one below
 * that for the program's kernel is believed. Packages are forms of their own, by variant: a member that
 * refuses one is not tried with that form again, but goes on running the kernel in all others.
 *
 * Such a launch never fails where the program's own driver would have run it. A member that accepts packages
 * does what others refuse (split_member.c). Where all refuse, nothing was done, since a driver that accepted
 * one package of a form accepts them all: nothing that it refuses a launch by differs between them. The
 * launch then runs whole on a member that accepted it whole before (SPLIT_REFUSED, split_inside.h). Shares
 * that are settled before they run (static.c), so that nobody may refuse any more, are for launches whose
 * packages all their members have accepted before. So are splits in which a member gets but one package, to
 * be measured, as it would not do what the others refuse.
 *
 * Drivers may also refuse packages of launches that they report to accept; of these nothing is recorded. A
 * member that does is left out for the kernel, and a launch that all refuse runs whole on the last one.
 */
#ifndef CX_LAYER_PLAN_TAKE_H
#define CX_LAYER_PLAN_TAKE_H

#include "layer/plan/why.h"
#include "layer/source/subrange.h"
#include "layer/timeline/context.h"

#include <stdbool.h>
#include <stdint.h>

struct cx_launch;
struct cx_split_plan;

enum { CX_TAKE_FORMS = 16 };

/* By form, of whole launches and of packages, newest first: the members, as bits, that accepted it last time,
 * and that refused it. */
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

/* Whether some member has accepted one of the launch's form whole, so that one beyond what drivers report may
 * be split. Called by plan.c. */
bool cx_take_any_known(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Why the member gets no packages in the variant of work-groups of so many items; CX_WHY_NONE: it may accept
 * them. Called by plan.c. */
enum cx_why cx_take_forbids(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                            size_t items) CX_HOLDS(cx_context_locked);
/* Whether all members of the plan accept their packages, as their drivers report or did before. Called by
 * plan.c and launch/start.c. */
bool cx_take_packages_known(const struct cx_launch *launch, const struct cx_split_plan *plan)
    CX_HOLDS(cx_context_locked);
/* Records that the member accepted a package in the variant, or refused it, of a launch beyond what drivers
 * report; of others nothing is recorded. Called by launch/split_member.c and launch/static.c. */
void cx_take_note_package(struct cx_launch *launch, unsigned member, enum cx_variant variant, bool accepted)
    CX_HOLDS(cx_context_locked);

#endif
