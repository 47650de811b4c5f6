/* SPDX-License-Identifier: MIT */
/*
 * A launch: the command that an enqueued kernel is, with what was asked for, decided, staked, and what came
 * of it, each in a struct of its own.
 *
 * The struct is made by enqueue_kernel.c and lives as long as its command. Each part says who writes it, and
 * under which lock; everybody may read a part under that lock, and any part once the command is over. Next:
 * plan.h.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_STATE_H
#define CX_LAYER_PLAN_LAUNCH_STATE_H

#include "layer/access/access.h"
#include "layer/base/exit_guard.h"
#include "layer/memory/buffer.h"
#include "layer/plan/kernel_history.h"
#include "layer/plan/part_note.h"
#include "layer/plan/why.h"
#include "layer/program/kernel.h"
#include "layer/source/subrange.h"
#include "layer/timeline/command.h"

struct cx_prefix;
struct cx_verify;

/* What the program enqueued. Written by enqueue_kernel.c before the command is submitted, and constant from
 * then on, so any thread reads it without a lock; but a local size that the program leaves open is chosen by
 * the planner, under context->lock (plan_size.h). */
struct cx_launch_request {
    struct cx_kernel *kernel; /* a reference */
    struct cx_args *args;     /* captured */
    struct cx_access_geometry geometry;
    bool local_given;
};

/* Which drivers accept the launch (take.h). `beyond`, `uneven` and `tried` are part of the request; the rest
 * is under context->lock, written by take.c, plan.c (unproven) and launch/whole.c (placed). */
struct cx_launch_acceptance {
    bool beyond;   /* by drivers' reports, no member accepts it */
    bool uneven;   /* ... as its groups are not of one size, or not of the one that the kernel requires */
    bool unproven; /* the member that runs it whole has not accepted one like it before */
    uint64_t form CX_GUARDED_BY(cx_context_locked);    /* 0: not planned yet */
    uint64_t tried;                                    /* members, as bits, that refused it in this call */
    uint64_t refused CX_GUARDED_BY(cx_context_locked); /* ... in this or other calls */
    unsigned placed; /* 1 + the member that runs it whole; 0: not planned so */
    uint64_t placed_seq CX_GUARDED_BY(cx_context_locked); /* ... and its position there */
};

/* What the planner decided, and why. Written by plan/ each time that the launch is planned, under
 * context->lock; afterwards constant, save that launch/split.c gives the reason anew where a split runs whole
 * after all. Summary, trace, recording and log tell it. */
struct cx_launch_decision {
    enum cx_why reason; /* why it runs whole or split */
    const char *report; /* by the analyser, of CX_NO_SUMMARY_REPORTED; lives as long as the kernel */
    const struct cx_summary_kernel *summary; /* the kernel that the lines are in; NULL: not needed */
    uint32_t line;       /* the source line of the reason (cx_summary_line_text()); 0: none */
    uint32_t other_line; /* a second one; 0: there is none */
    int arg;             /* the argument the reason is about, -1: none */
    enum cx_use_kind use CX_GUARDED_BY(cx_context_locked); /* write_place.h */
    double risk CX_GUARDED_BY(cx_context_locked);          /* cx_write_place_used */
    bool on_svm_owner; /* svm_rules.h: it runs whole on the owner of shared virtual memory */
    enum cx_launch_repeats repeats;
    double longest; /* upper guess of its seconds, by the kernel's text; below 0: not computed
                       (cx_plan_deferred_pays) */
    /* split: each argument's write protocol (enum cx_write_protocol; launch_prepare.h); NULL: EXCLUSIVE for
     * all */
    uint8_t *protocols;
    bool remote_access;    /* remote_access.h: some protocols are CX_PROTOCOL_REMOTE */
    unsigned remote_owner; /* ... the member whose memory is used */
    uint64_t remote_bytes; /* ... about how many bytes of it other members access */
};

/* What a split of it lacks, and when it is planned again (deferral.h). Written by plan.c (what it lacks) and
 * deferral.c, under context->lock. */
struct cx_launch_deferral {
    bool lacks_builds; /* builds that are not done yet, those of missing_variant among them */
    bool lacks_straggler CX_GUARDED_BY(cx_context_locked); /* a member that is a straggler (reexecute.h) */
    bool lacks_length CX_GUARDED_BY(cx_context_locked);  /* an earlier launch that shows how long it takes */
    bool lacks_summary CX_GUARDED_BY(cx_context_locked); /* the kernel's analysis, still running */
    bool follows_move CX_GUARDED_BY(cx_context_locked);  /* ... of its chain, which is not measured yet */
    bool in_row CX_GUARDED_BY(cx_context_locked);        /* ... to show how splits like it do */
    bool may_move CX_GUARDED_BY(cx_context_locked);      /* nothing, but its chain may move (plan_chains.h) */
    /* it is held behind much work (outstanding.h), of which some is left when it is planned again */
    bool behind_work CX_GUARDED_BY(cx_context_locked);
    bool planned_before CX_GUARDED_BY(cx_context_locked); /* it was held, and is planned again */
    bool counted; /* its time was counted among launches that lack builds (cx_plan_without) */
    /* planned again once that member has completed resume_seq */
    enum cx_variant missing_variant CX_GUARDED_BY(cx_context_locked);
    unsigned resume_member CX_GUARDED_BY(cx_context_locked);
    uint64_t resume_seq CX_GUARDED_BY(cx_context_locked);
    /* deferred for a straggler until then, host ns; 0: it was not */
    uint64_t until_ns CX_GUARDED_BY(cx_context_locked);
    struct cx_launch *next CX_GUARDED_BY(cx_context_locked); /* in cx_planner.deferred */
};

/* What the split may lose (plan_stake.h), by whose account. Written by plan_stake.c, under context->lock. */
struct cx_launch_stake {
    double whole; /* seconds of the whole launch that the split is compared with; 0: not split */
    /* ... of these: moving what it reads to the first device */
    double moves CX_GUARDED_BY(cx_context_locked);
    double reserved CX_GUARDED_BY(cx_context_locked); /* seconds that the split may lose */
    bool trial CX_GUARDED_BY(cx_context_locked);      /* it is one */
    /* ... that loses by itself: it moves data for later launches */
    bool invests CX_GUARDED_BY(cx_context_locked);
    bool first_use CX_GUARDED_BY(cx_context_locked); /* a participating member has run nothing before */
    bool probes CX_GUARDED_BY(cx_context_locked);    /* ... or only has a package that measures it */
};

/* It moved its chain to another member (plan_chains.h): what that may lose. Seconds. Written by
 * plan_chains.c, under context->lock. */
struct cx_launch_move {
    double whole;                                     /* where the chain was; 0: it did not move */
    double expected CX_GUARDED_BY(cx_context_locked); /* where it is now, of which ... */
    double seconds CX_GUARDED_BY(cx_context_locked);  /* ... the launch itself runs so long */
    double reserved CX_GUARDED_BY(cx_context_locked); /* that it may lose */
    unsigned to CX_GUARDED_BY(cx_context_locked);     /* the member */
    bool invests CX_GUARDED_BY(cx_context_locked);    /* it loses by itself: later launches gain */
    bool timed CX_GUARDED_BY(cx_context_locked);      /* how long it runs is to be measured */
    bool back CX_GUARDED_BY(cx_context_locked);       /* to where the program alone would have run it */
    bool first CX_GUARDED_BY(cx_context_locked);      /* its driver may have something to do once */
};

/* What is compared with the split's real time once it is over. Written under context->lock by
 * split_feedback.c, and migration_counted by migration_credit.c. */
struct cx_launch_feedback {
    uint64_t split_ns;          /* host clock: when the split began; 0: not split */
    struct cx_end_times *ahead; /* end_times.c: of all that was planned before it; NULL: that was over */
    bool counts;                /* ... it counts */
    bool migration_counted CX_GUARDED_BY(cx_context_locked); /* it has been counted (migration_credit.h) */
    uint64_t written CX_GUARDED_BY(cx_context_locked); /* bytes that the program gave buffers before it */
};

/* The slices that a launch of unknown length begins as. Written by launch/prefix.c, under context->lock. */
struct cx_launch_slices {
    struct cx_prefix *prefix; /* NULL: it did not begin so, or they are handed over or dropped */
    uint64_t done;            /* steps along the split dimension that they have done or do; 0: none */
    double rest;      /* seconds that the rest takes on that device, by the slices' times; 0: not known yet */
    uint64_t took_ns; /* how long the slices took, if the rest is split; 0: there were none */
};

/* What launch/ notes while it carries the decision out. Written under context->lock when jobs are planned
 * (launch/whole.c, verify.c); `uncompiled` as exit_guard.h says. Jobs of it read it without. */
struct cx_launch_run {
    enum cx_uncompiled uncompiled; /* whether the end of the process waits for it (exit_guard.h) */
    bool new_form;                 /* whole: its driver was not known to have compiled the like */
    bool times_counted;            /* whole: in cx_kernel_lengths.timing */
    bool undone;                   /* whole, after a split that did not stand (speculation.h) */
    bool tells;                    /* whole: it will show how long it takes; in cx_kernel_lengths.telling */
    bool tells_moves;              /* ... and with it what it takes to bring what it lacks */
    uint64_t placed_ns;            /* ... planned then, host clock */
    uint64_t busy_ns;              /* whole: how long it took, or is known to take; 0: not known */
    struct cx_verify *verify;      /* verify.h: its comparison with a whole run; or NULL */
};

/* A member's part of a launch. Written by its worker; read once the command is over. */
struct cx_part {
    unsigned member;
    enum cx_variant variant;
    bool whole;           /* it is the whole launch, with a local size only if the program gave one */
    struct cx_args *args; /* the member's own (private_copies.h); NULL: the launch's */
    uint64_t groups, packages, busy_ns;
    uint64_t first_ns, last_ns;    /* host clock */
    uint64_t at;                   /* first group of the next package to be added, if `note` is given */
    enum cx_part_note note;        /* why the next package to be added is as long as it is */
    uint64_t asked_ns, noticed_ns; /* when it was decided, and when its end was noticed; 0: not known */
};

/* What came of it, for kernel_table.h and split_feedback.h. Written by launch/ under the lock that each field
 * names; read once the command is over. */
struct cx_launch_outcome {
    uint64_t moved; /* bytes moved to members for it; context->lock */
    /* bytes written back while it ran (write_back.h); context->lock */
    uint64_t written_back CX_GUARDED_BY(cx_context_locked);
    uint64_t changed;  /* merge.h: bytes found changed */
    uint64_t combined; /* ... of these, bytes combined on the host */
    unsigned nparts;
    struct cx_part *parts; /* members that took part */
};

/* A launch on its way, from the call that enqueues it until its last part is over. */
struct cx_launch {
    struct cx_command base;
    struct cx_launch_request request;
    struct cx_launch_acceptance acceptance;
    struct cx_launch_decision decision;
    struct cx_launch_deferral deferral;
    struct cx_launch_stake stake;
    struct cx_launch_move move;
    struct cx_launch_feedback feedback;
    struct cx_launch_slices slices;
    struct cx_launch_run run;
    struct cx_launch_outcome outcome;
};

/* The memory object of an argument; NULL: it is none. Called by plan/ and launch/. */
static inline struct cx_mem *cx_launch_mem(const struct cx_launch *launch, unsigned arg)
{
    return cx_args_mem(launch->request.args, arg);
}
/* The number of work-groups of a range whose local size is known. Called by launch/replay.c. */
static inline uint64_t cx_launch_groups_of(const struct cx_access_geometry *geometry)
{
    uint64_t groups = 1;
    for (uint32_t d = 0; d < geometry->work_dim; d++)
        groups *= (geometry->global[d] + geometry->local[d] - 1) / geometry->local[d];
    return groups;
}
/* ... of the launch, whose local size is known. Called by plan/ and launch/. */
static inline uint64_t cx_launch_groups(const struct cx_launch *launch)
{
    return cx_launch_groups_of(&launch->request.geometry);
}
/* The number of work-items of the launch. Called by plan/ and launch/. */
static inline uint64_t cx_launch_items(const struct cx_access_geometry *geometry)
{
    uint64_t items = 1;
    for (uint32_t d = 0; d < geometry->work_dim; d++)
        items *= geometry->global[d];
    return items;
}
/* The argument's write protocol (enum cx_write_protocol). Called by plan/ and launch/. */
static inline unsigned cx_launch_protocol(const struct cx_launch *launch, unsigned arg)
{
    return launch->decision.protocols ? launch->decision.protocols[arg] : CX_PROTOCOL_EXCLUSIVE;
}
/* Whether each participant works on a copy of its own of what the argument points to. Called by plan/ and
 * launch/. */
static inline bool cx_launch_is_private(const struct cx_launch *launch, unsigned arg)
{
    const unsigned protocol = cx_launch_protocol(launch, arg);
    return protocol == CX_PROTOCOL_REDUCTION || protocol == CX_PROTOCOL_CHECKED;
}
/* Why it runs whole or split, as text. Called by plan/. */
static inline const char *cx_launch_why(const struct cx_launch *launch)
{
    return launch->decision.reason == cx_why_no_summary(CX_NO_SUMMARY_REPORTED)
               ? launch->decision.report
               : cx_why_text(launch->decision.reason);
}

#endif
