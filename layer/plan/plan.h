/* SPDX-License-Identifier: MIT */
/*
 * Planning a launch: may it be split, over which members, by which balancer; else on which member does it run
 * whole?
 *
 * The only stage that knows both analysis (access.h) and balancing (scheduler/). It decides and starts
 * nothing: start.h carries decisions out. Runs under context->lock. Previous stage: enqueue_kernel.c. Next:
 * start.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_H
#define CX_LAYER_PLAN_PLAN_H

#include "layer/access/access.h"
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
    struct cx_access_geometry geometry; /* local filled in once chosen */
    bool local_given;
    bool on_svm_owner;  /* svm.h: it runs whole on the home of shared virtual memory */
    bool times_counted; /* in cx_kernel_history.timing */
    bool replayable;    /* replay.h: what keeps it whole holds for all launches alike */
    /* take.h */
    bool beyond;             /* by what drivers report, none takes it */
    bool unproven;           /* the member that runs it whole never took one like it */
    uint64_t form;           /* 0: not planned yet */
    uint64_t tried, refused; /* members, as bits, that refused it in this call; the same and at others */
    unsigned placed;         /* 1 + the member that runs it whole; 0: not planned so */
    uint64_t placed_seq;     /* ... and its position there */
    /* deferral.h */
    bool lacks_builds,
        counted;          /* a split lacks what is not built yet; its time is counted (cx_plan_without) */
    bool lacks_straggler; /* ... or a member that is late (reexecute.h) */
    bool lacks_length;    /* held until one before it tells how long it takes */
    bool tells;           /* it runs whole and will tell that, counted in cx_kernel_history.telling */
    uint64_t placed_ns;   /* ... planned then, host clock */
    uint64_t deferred_until_ns; /* until when it was held for that, host ns; 0: it was not */
    enum cx_variant missing_variant;
    double
        longest; /* seconds that it takes at most, by its text; below 0: not asked (cx_plan_deferred_pays) */
    unsigned resume_member; /* planned again once that member has completed resume_seq */
    uint64_t resume_seq;
    struct cx_launch *deferred_next;
    struct cx_prefix *prefix; /* prefix.h: it began with slices on one device; or NULL */
    uint64_t sliced; /* ... steps, along the split dimension, that these have done or do; 0: there are none */
    double
        unsliced; /* ... seconds that the rest takes on that device, as they tell; 0: nothing told so far */
    uint64_t slices_ns;      /* what those took, where the rest is split; 0: there were none */
    uint64_t moved;          /* bytes brought to members for it */
    uint64_t split_ns;       /* host clock: when it was split, for split_feedback.h; 0: it was not */
    bool counts;             /* ... it counts there */
    bool first_use;          /* ... a member that takes part has done nothing yet */
    double staked, reserved; /* plan_stake.h: split, and held to that many seconds; of these it may lose */
    double staked_moves;     /* of staked: to bring what it reads to the first device */
    bool trial;              /* ... as a trial */
    bool invests;            /* ... that loses by itself: what it moves is for those behind it */
    uint64_t written;        /* bytes that the program gave buffers before it */
    uint64_t written_back;   /* bytes of results that came home within it (write_back.h); context->lock */
    bool migration_counted;  /* migration_credit.h: it is counted */
    /* split: how each argument's writes are kept right (enum cx_write_protocol; launch_prepare.h); NULL:
     * nothing special
     */
    uint8_t *protocols;
    bool remote_access;    /* remote_access.h: some of them are CX_PROTOCOL_REMOTE */
    unsigned remote_owner; /* ... at that member's memory */
    uint64_t remote_bytes; /* ... of which others use about so many bytes */
    uint64_t changed,
        combined; /* merge.h: bytes found changed, and of these those put together on the host */
    /* outcome, for kernel_table.h */
    const char *reason;                      /* why it runs as it does; static text */
    uint32_t line;                           /* of the source, where the reason has one (cx_place_text()) */
    uint32_t other_line;                     /* a second one; 0: there is none */
    const struct cx_summary_kernel *summary; /* that the line is of; NULL: not asked for */
    int arg;                                 /* the argument the reason is about, -1: none */
    unsigned nparts;
    struct cx_part *parts;    /* members that took part */
    struct cx_verify *verify; /* verify.h: it is compared with a whole run; or NULL */
};

/* What one member did of a launch. Written by its worker; read once the command is over. */
struct cx_part {
    unsigned member;
    enum cx_variant variant;
    bool whole;           /* it is all of the launch, with a local size only where the program gave one */
    struct cx_args *args; /* the member's own (private_copies.h); NULL: the launch's */
    uint64_t groups, packages, busy_ns;
    uint64_t first_ns, last_ns;    /* host clock */
    uint64_t at;                   /* first group of the package that is added next, where `why` is given */
    const char *why;               /* why the package that is added next is as long as it is, or NULL */
    uint64_t asked_ns, noticed_ns; /* and when it was decided, and its end seen, by the host; 0: not noted */
};

/* A split that was decided. */
struct cx_split_plan {
    struct cx_cached_verdict *judged; /* a reference */
    uint64_t groups;                  /* all work-groups */
    uint64_t slice;                   /* work-groups in one step along the split dimension */
    uint64_t done;                    /* steps at the range's start that are done already (prefix.h) */
    unsigned n;                       /* members that share the launch, in order */
    bool probes; /* member[n] gets steps [probe_first, probe_end) to be measured, and nothing else */
    uint64_t probe_first, probe_end;
    unsigned *member;
    enum cx_variant *variant;
    double *weight; /* expected relative speeds: where each member's part of the range begins */
    struct cx_balancer *balancer;
    bool moves;          /* it moves data for the sake of launches to come (migration_credit.h) */
    bool reexecutes;     /* reexecute.h: several members may do packages again */
    uint64_t stragglers; /* members, as bits, that join once they are done with what others have done */
};
void cx_split_plan_finish(struct cx_split_plan *plan);

/* What is decided of a launch. */
enum cx_plan_kind {
    CX_PLAN_WAIT,   /* nothing: it waits for something, and is planned again by itself */
    CX_PLAN_SPLIT,  /* it is split as `split` says, which is for whoever carries it out to finish */
    CX_PLAN_SLICES, /* it begins with slices on `member`, by `judged` and `variant` (prefix.h) */
    CX_PLAN_WHOLE,  /* it runs whole on `member` */
    CX_PLAN_FAIL    /* it fails: no member can have its memory */
};
/* Of these only what the kind names is set. */
struct cx_plan_decision {
    unsigned member;
    struct cx_split_plan split;
    struct cx_cached_verdict *judged; /* borrowed from the function's records */
    enum cx_variant variant;
};

/* Decides what becomes of a launch that all before it allow to be planned. Starts nothing; but it is told
 * what was decided, and counted. */
enum cx_plan_kind cx_plan_decide(struct cx_launch *launch, struct cx_plan_decision *decision);
/* It runs whole on the member after all, as slices could not begin. nmembers: nowhere. WHOLE or FAIL. */
enum cx_plan_kind cx_plan_whole(struct cx_launch *launch, unsigned member);
/* The rest of a launch that began with slices is split, if that may be and pays: *plan is how, and the
 * caller's to finish. False: nothing was done. */
bool cx_plan_rest(struct cx_launch *launch, struct cx_split_plan *plan);

/* The memory object behind an argument; NULL: it is none. */
static inline struct cx_mem *cx_launch_mem(const struct cx_launch *launch, unsigned arg)
{
    return cx_args_mem(launch->args, arg);
}
/* How many work-groups the launch has in all. Its local size is known. */
static inline uint64_t cx_launch_groups(const struct cx_launch *launch)
{
    uint64_t groups = 1;
    for (uint32_t d = 0; d < launch->geometry.work_dim; d++)
        groups *= (launch->geometry.global[d] + launch->geometry.local[d] - 1) / launch->geometry.local[d];
    return groups;
}
/* How the argument's writes are kept right (enum cx_write_protocol); OWN for all where nothing special is. */
static inline unsigned cx_launch_protocol(const struct cx_launch *launch, unsigned arg)
{
    return launch->protocols ? launch->protocols[arg] : CX_PROTOCOL_EXCLUSIVE;
}

#endif
