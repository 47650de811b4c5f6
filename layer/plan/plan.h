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

#include "layer/access/access.h"
#include "layer/base/exit_guard.h"
#include "layer/memory/buffer.h"
#include "layer/timeline/command.h"
#include "layer/program/kernel.h"
#include "layer/source/subrange.h"
#include "scheduler/balancer.h"
#include "layer/plan/kernel_history.h"

/* A launch as the program enqueued it. */
struct cx_launch {
    struct cx_command base;
    struct cx_kernel *kernel;           /* a reference */
    struct cx_args *args;               /* captured */
    struct cx_access_geometry geometry; /* the local size is filled in once chosen */
    bool local_given;
    bool on_svm_owner;    /* svm_rules.h: it runs whole on the owner of shared virtual memory */
    bool times_counted;   /* in cx_kernel_history.timing */
    enum cx_use_kind use; /* write_place.h */
    bool replayable;      /* replay.h: the reason why it stays whole holds for all launches like it */
    /* take.h */
    bool beyond;   /* by drivers' reports, no member accepts it */
    bool unproven; /* the member that runs it whole has not accepted one like it before */
    uint64_t form; /* 0: not planned yet */
    uint64_t tried,
        refused; /* members, as bits: that refused it in this call; that refused it in this or other calls */
    unsigned placed;     /* 1 + the member that runs it whole; 0: not planned so */
    uint64_t placed_seq; /* ... and its position there */
    /* deferral.h */
    bool lacks_builds,
        counted; /* a split lacks builds that are not done yet; its time was counted (cx_plan_without) */
    bool lacks_straggler;       /* ... or a member that is a straggler (reexecute.h) */
    bool lacks_length;          /* deferred until an earlier launch shows how long it takes */
    bool tells;                 /* it runs whole and will show that; counted in cx_kernel_history.telling */
    uint64_t placed_ns;         /* ... planned then, host clock */
    uint64_t deferred_until_ns; /* deferred for a straggler until then, host ns; 0: it was not */
    enum cx_variant missing_variant;
    double longest;         /* upper guess of its seconds, by the kernel's text; below 0: not computed
                               (cx_plan_deferred_pays) */
    unsigned resume_member; /* planned again once that member has completed resume_seq */
    uint64_t resume_seq;
    struct cx_launch *deferred_next;
    enum cx_uncompiled uncompiled; /* whether the end of the process waits for it (exit_guard.h) */
    bool new_form;                 /* whole: its driver was not known to have compiled the like */
    struct cx_prefix *prefix;      /* prefix.h: it began as slices on one device; or NULL */
    uint64_t sliced; /* ... steps along the split dimension that the slices have done or do; 0: none */
    double
        unsliced; /* ... seconds that the rest takes on that device, by the slices' times; 0: not known yet */
    uint64_t slices_ns;      /* how long the slices took, if the rest is split; 0: there were none */
    uint64_t moved;          /* bytes moved to members for it */
    uint64_t split_ns;       /* host clock: when the split began, for split_feedback.h; 0: not split */
    bool counts;             /* ... it counts there */
    bool first_use;          /* ... a participating member has run nothing before */
    double staked, reserved; /* plan_stake.h: seconds of the whole launch that the split is compared with;
                                seconds that it may lose */
    double staked_moves;     /* of staked: moving what it reads to the first device */
    bool trial;              /* ... as a trial */
    bool invests;            /* ... that loses by itself: it moves data for later launches */
    uint64_t written;        /* bytes that the program gave buffers before it */
    uint64_t written_back;   /* bytes written back while it ran (write_back.h); context->lock */
    bool migration_counted;  /* migration_credit.h: it has been counted */
    /* split: each argument's write protocol (enum cx_write_protocol; launch_prepare.h); NULL: EXCLUSIVE for
     * all */
    uint8_t *protocols;
    bool remote_access;         /* remote_access.h: some protocols are CX_PROTOCOL_REMOTE */
    unsigned remote_owner;      /* ... the member whose memory is used */
    uint64_t remote_bytes;      /* ... about how many bytes of it other members access */
    uint64_t changed, combined; /* merge.h: bytes found changed; of these, bytes combined on the host */
    /* outcome, for kernel_table.h */
    const char *reason;                      /* why it runs whole or split; static text */
    uint32_t line;                           /* the source line of the reason (cx_place_text()); 0: none */
    uint32_t other_line;                     /* a second one; 0: there is none */
    const struct cx_summary_kernel *summary; /* the kernel that the lines are in; NULL: not needed */
    int arg;                                 /* the argument the reason is about, -1: none */
    unsigned nparts;
    struct cx_part *parts;    /* members that took part */
    struct cx_verify *verify; /* verify.h: its comparison with a whole run; or NULL */
};

/* A member's part of a launch. Written by its worker; read once the command is over. */
struct cx_part {
    unsigned member;
    enum cx_variant variant;
    bool whole;           /* it is the whole launch, with a local size only if the program gave one */
    struct cx_args *args; /* the member's own (private_copies.h); NULL: the launch's */
    uint64_t groups, packages, busy_ns;
    uint64_t first_ns, last_ns;    /* host clock */
    uint64_t at;                   /* first group of the next package to be added, if `why` is given */
    const char *why;               /* why the next package to be added is as long as it is, or NULL */
    uint64_t asked_ns, noticed_ns; /* when it was decided, and when its end was noticed; 0: not known */
};

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
void cx_split_plan_finish(struct cx_split_plan *plan);

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
enum cx_plan_kind cx_plan_decide(struct cx_launch *launch, struct cx_plan_decision *decision);
/* Decides again, whole on the member, as slices could not begin. nmembers: no member. Returns WHOLE or FAIL.
 * Called by launch/start.c.
 */
enum cx_plan_kind cx_plan_whole(struct cx_launch *launch, unsigned member);
/* Plans a split of the rest of a launch that began as slices, if that is possible and pays; the caller
 * finishes *plan. False: the rest is not split. Called by launch/prefix.c. */
bool cx_plan_rest(struct cx_launch *launch, struct cx_split_plan *plan);

/* The memory object of an argument; NULL: it is none. Called by plan/ and launch/. */
static inline struct cx_mem *cx_launch_mem(const struct cx_launch *launch, unsigned arg)
{
    return cx_args_mem(launch->args, arg);
}
/* The number of work-groups of the launch, whose local size is known. Called by plan/ and launch/. */
static inline uint64_t cx_launch_groups(const struct cx_launch *launch)
{
    uint64_t groups = 1;
    for (uint32_t d = 0; d < launch->geometry.work_dim; d++)
        groups *= (launch->geometry.global[d] + launch->geometry.local[d] - 1) / launch->geometry.local[d];
    return groups;
}
/* The argument's write protocol (enum cx_write_protocol). Called by plan/ and launch/. */
static inline unsigned cx_launch_protocol(const struct cx_launch *launch, unsigned arg)
{
    return launch->protocols ? launch->protocols[arg] : CX_PROTOCOL_EXCLUSIVE;
}

#endif
