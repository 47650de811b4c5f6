/* SPDX-License-Identifier: MIT */
/*
 * What is known of a kernel function: how fast members run it, which launches of it were judged, how long it
 * takes, what drivers said. Read by the planner, filled by whoever carries launches out. It belongs to the
 * function and goes with it. Thread-safety: context->lock, where nothing else is said.
 */
#ifndef CX_LAYER_PLAN_KERNEL_HISTORY_H
#define CX_LAYER_PLAN_KERNEL_HISTORY_H

#include "layer/access/access.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/result_use.h"
#include "layer/plan/take.h"
#include "scheduler/admission.h"
#include "scheduler/balancer.h"
#include "scheduler/budget.h"
#include "scheduler/feedback.h"
#include "scheduler/parts.h"

#include <stdatomic.h>

struct cx_function;
struct cx_launch;

/* A launch judged separable, kept for the next one with the same kernel, geometry and arguments. */
struct cx_cached_verdict {
    unsigned refs; /* context->lock */
    uint64_t hash;
    struct cx_access *access;
    struct cx_access_verdict verdict;
    struct cx_access_geometry geometry;
};
void cx_cached_verdict_unref(struct cx_cached_verdict **judged);

/* What the last merge of launches of one shape found: what to expect of the next one, never a reason not to
 * look. */
struct cx_merge_memory {
    uint64_t shape;             /* hash of the range and the buffers' sizes; 0: none yet */
    uint64_t changed, combined; /* bytes */
    unsigned runs;              /* separate runs of blocks that were combined */
};

/* What each member did of the last launch of a shape: its part of the next one begins there, where its data
 * lies. */
struct cx_last_partition {
    uint64_t steps, slice; /* the shape (cx_split_plan); 0: none yet */
    uint64_t members;      /* as bits, those that shared it */
    uint64_t did[64];      /* steps, by member */
};

/* How long launches of one shape take whole on the context's fastest member, or one just like it. */
struct cx_length {
    uint64_t shape; /* hash of range and local size; 0: none */
    double groups;  /* 0: not known */
    double seconds; /* newer ones counting more */
    bool guessed;   /* from a part of one launch */
};
enum { CX_LENGTHS = 8 };

enum { CX_REPLAY_FORMS = 2 }; /* ranges of one function that are known at a time */

/* A launch that may be repeated (replay.h). */
struct cx_replay {
    struct cx_access_geometry geometry; /* as enqueued: no local size where none was given */
    bool local_given;
    unsigned member;                         /* where it ran */
    unsigned left;                           /* how often it may be repeated; 0: there is none */
    double seconds;                          /* that it takes (plan_stake.h); 0: not known */
    const struct cx_summary_kernel *summary; /* cx_kernel_accesses */
};

/* What is known of one kernel function; context->lock, save what is atomic. */
struct cx_kernel_history {
    struct cx_speed_record *records;      /* one a member, in work-groups/s */
    struct cx_cached_verdict *judged[16]; /* most recently used first */
    struct cx_merge_memory merges[8];     /* by shape, at shape % 8 */
    struct cx_memory *memories[4]; /* what the balancer auto learned, by number of groups; never replaced */
    struct cx_feedback_record feedback;   /* how its splits did */
    struct cx_result_uses *result_uses;   /* what becomes of its results (result_use.h); NULL: none yet */
    struct cx_parts parts;                /* how large devices' parts are where they keep them */
    struct cx_length lengths[CX_LENGTHS]; /* plan_stake.h */
    unsigned nlengths;                    /* added */
    unsigned prefixes;                    /* launches that began with slices (prefix.h) */
    unsigned unknown_lengths;             /* launches on the fastest member whose length was not known */
    struct cx_budget_record risk;         /* of its splits */
    bool proven;                          /* a split of it ran without a driver failing on it */
    struct cx_launch_forms forms;         /* that were launched before */
    struct cx_last_partition last_partitions[4]; /* by shape */
    double compiles; /* seconds before the fastest member's first package of such a form, in this process or a
                      * former one; 0: not measured */
    atomic_uint timing;                        /* whole launches in flight whose times will be known */
    atomic_uint telling;                       /* ... that will tell a length which is not known */
    unsigned unmeasured;                       /* whole launches planned since one whose times were wanted */
    struct cx_replay replays[CX_REPLAY_FORMS]; /* newest first */
    struct cx_takes takes;                     /* take.h */
    double unvaried; /* seconds that launches took which lack a split variant, by measured speeds */
    double judging;  /* seconds that judging a launch takes; 0: none was */
    struct {         /* launches of late for which that did not pay, the next at nskipped % 16 */
        uint64_t hash;
        double lost; /* seconds that splits of them could have saved at most */
    } skipped[16];
    unsigned nskipped;
};
/* The function's, made at the first call. NULL: no memory. */
struct cx_kernel_history *cx_function_history(struct cx_function *function, unsigned nmembers);
/* What launches of as many groups taught the balancer that learns; NULL: none did. */
struct cx_memory *cx_kernel_history_memory(const struct cx_kernel_history *history, uint64_t groups);

#endif
