/* SPDX-License-Identifier: MIT */
/*
 * Plans a launch: decides whether it is split, over which members and by which balancer, or on which member
 * it runs whole.
 *
 * The only stage that knows both analysis (access.h) and balancing (scheduler/). It only decides; start.h
 * carries decisions out. Called under context->lock. Previous stage: enqueue_kernel.c. Next: start.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_H
#define CX_LAYER_PLAN_PLAN_H

#include "layer/plan/launch_state.h"
#include "scheduler/balancer.h"

/* A split that was decided. Called by launch/split.c and launch/static.c. */
struct cx_split_plan {
    struct cx_cached_verdict *judged; /* a reference */
    uint64_t groups;                  /* all work-groups */
    uint64_t slice;                   /* work-groups in one step along the split dimension */
    uint64_t done;                    /* steps at the range's start already done by slices (prefix.h) */
    unsigned n;                       /* members that share the launch, in order */
    bool probes;                      /* member[n] gets only steps [probe_first, probe_end), to be measured */
    uint64_t probe_first, probe_end;
    unsigned *member;
    enum cx_variant *variant;
    double *weight; /* expected relative speeds: where each member's part of the range begins */
    struct cx_balancer *balancer;
    bool moves;          /* it moves data for later launches (migration_credit.h) */
    bool reexecutes;     /* reexecute.h: packages may be re-executed */
    uint64_t stragglers; /* members, as bits, that are stragglers and join in once they are free */
};
void cx_plan_split_finish(struct cx_split_plan *plan) CX_HOLDS(cx_context_locked);

/* The kind of a decision. */
enum cx_plan_kind {
    CX_PLAN_WAIT,   /* nothing yet: the launch is deferred, and planned again later */
    CX_PLAN_SPLIT,  /* it is split as `split` says, which the caller finishes */
    CX_PLAN_SLICES, /* it begins as slices on `member`, by `judged` and `variant` (prefix.h) */
    CX_PLAN_WHOLE,  /* it runs whole on `member` */
    CX_PLAN_FAIL    /* it fails: no member can have its memory */
};
/* A decision. Only the fields that its kind names are set. */
struct cx_plan_decision {
    unsigned member;
    struct cx_split_plan split;
    struct cx_cached_verdict *judged; /* borrowed from the function's records */
    enum cx_variant variant;
};

/* Decides how a launch runs. Called by launch/start.c when everything that it waits for is settled. Starts
 * nothing; the decision is logged and counted. */
enum cx_plan_kind cx_plan_decide(struct cx_launch *launch, struct cx_plan_decision *decision)
    CX_HOLDS(cx_context_locked);
/* Decides again, whole on the member, as slices could not begin. nmembers: no member. Returns WHOLE or FAIL.
 * Called by launch/start.c.
 */
enum cx_plan_kind cx_plan_whole(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Plans a split of the rest of a launch that began as slices, if that is possible and pays; the caller
 * finishes *plan. False: the rest is not split. Called by launch/prefix.c. */
bool cx_plan_rest(struct cx_launch *launch, struct cx_split_plan *plan) CX_HOLDS(cx_context_locked);

#endif
