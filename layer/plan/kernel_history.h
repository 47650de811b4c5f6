/* SPDX-License-Identifier: MIT */
/*
 * The history of a kernel function: how fast members run it, the cached verdicts, how long it takes, what
 * drivers accepted. The planner reads it; launch/ fills it in. It belongs to the function and is freed with
 * it. Thread-safety: context->lock, where nothing else is said.
 */
#ifndef CX_LAYER_PLAN_KERNEL_HISTORY_H
#define CX_LAYER_PLAN_KERNEL_HISTORY_H

#include "layer/access/access.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/result_use.h"
#include "layer/plan/take.h"
#include "layer/plan/why.h"
#include "layer/source/subrange.h"
#include "scheduler/chains.h"
#include "scheduler/admission.h"
#include "scheduler/balancer.h"
#include "scheduler/budget.h"
#include "scheduler/feedback.h"
#include "scheduler/follow.h"
#include "scheduler/parts.h"
#include "scheduler/objective.h"

#include <stdatomic.h>

struct cx_function;
struct cx_launch;

/* What one package touches. Called by judged_package.c. */
enum { CX_KEPT_PACKAGES = 10 }; /* of a verdict: for eight members and two that planning asks for */
struct cx_kept_package {
    uint64_t first, end; /* work-groups along the verdict's dimension */
    void *regions;       /* judged_package.c; NULL: none */
};

/* A verdict, cached for the next launch with the same kernel, geometry and arguments. Called by judge.c,
 * plan.c, launch/merge.c and launch/prefix.c. */
struct cx_cached_verdict {
    unsigned refs CX_GUARDED_BY(cx_context_locked); /* context->lock */
    uint64_t hash;
    struct cx_access *access;
    struct cx_access_verdict verdict;
    struct cx_access_geometry geometry;
    struct cx_kept_package package[CX_KEPT_PACKAGES] CX_GUARDED_BY(cx_context_locked);
    unsigned
        npackages CX_GUARDED_BY(cx_context_locked); /* so far; the next at npackages % CX_KEPT_PACKAGES */
};
void cx_cached_verdict_unref(struct cx_cached_verdict **judged) CX_HOLDS(cx_context_locked);

/* What the last merge of launches of one shape found: an expectation for the next one, which is compared all
 * the same. */
struct cx_merge_memory {
    uint64_t shape;             /* hash of the range and the buffers' sizes; 0: none yet */
    uint64_t changed, combined; /* bytes */
    unsigned runs;              /* separate groups of blocks that were combined */
};

/* The last partition of a shape: what each member did of the last such launch. Its partition of the next one
 * begins there, where its data is. */
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
enum { CX_LENGTHS = 16 };

/* Numbers of work-groups of which a balancer that learns (auto, marrow) remembers launches, of one function;
 * shapes of which former processes were asked lately. */
enum { CX_KERNEL_MEMORIES = 16, CX_KERNEL_RECALLS = 16 };

enum { CX_REPLAY_FORMS = 2 }; /* ranges of one function that are known at a time */

/* A launch that may be replayed (replay.h). */
struct cx_replay {
    struct cx_access_geometry geometry; /* as enqueued: no local size where none was given */
    bool local_given;
    uint64_t least, most; /* work-items of other ranges that it stands for; 0, 0: for none */
    unsigned member;      /* where it ran */
    unsigned left;        /* how often it may still be replayed; 0: none */
    bool briefly;         /* CX_REPEATS_BRIEFLY */
    double seconds;       /* that it takes (plan_stake.h); 0: not known */
    uint64_t groups;      /* work-groups; 0: not known */
    unsigned reason;      /* for the summary (launch_stats.h) */
    double lacked, gain;  /* what is counted as it lacks builds (cx_plan_lacked); 0: it lacks none */
    enum cx_use_kind use; /* write_place.h, with the next */
    double risk;
    const struct cx_summary_kernel *summary; /* cx_launch_accesses */
};

enum { CX_VERDICTS = 16 }; /* of one function that are cached, and launches not judged that are noted */

/* Whether launches like one that stays whole stay so, too, and may repeat it without a decision (replay.h).
 */
enum cx_launch_repeats {
    CX_REPEATS_NOT,
    CX_REPEATS_BRIEFLY, /* for a moment: what keeps it whole changes with time */
    CX_REPEATS_ALIKE    /* the reason holds for all of them */
};

/* The decision about the last launch that was judged anew and stays whole (judging_price.h). */
struct cx_last_judged {
    enum cx_why reason; /* ... and the next ones as in cx_launch_decision */
    uint32_t line, other_line;
    int arg;
    enum cx_use_kind use;
    enum cx_launch_repeats repeats;
    double longest;
    bool lacks_builds; /* as in cx_launch_deferral, with the next */
    enum cx_variant missing_variant;
};

/* Verdicts, and what judging costs (judge.h, judging_price.h). */
struct cx_kernel_verdicts {
    struct cx_cached_verdict *
        cached[CX_VERDICTS] CX_GUARDED_BY(cx_context_locked); /* most recently used first */
    /* seconds that judging a launch takes; 0: not measured */
    double seconds CX_GUARDED_BY(cx_context_locked);
    struct { /* recent launches too short to be judged, the next at nskipped % CX_VERDICTS */
        uint64_t hash;
        double lost; /* seconds that splits of them could have saved at most */
    } skipped[CX_VERDICTS] CX_GUARDED_BY(cx_context_locked);
    unsigned nskipped CX_GUARDED_BY(cx_context_locked);
    unsigned
        vain CX_GUARDED_BY(cx_context_locked); /* judgements in a row after which launches stayed whole */
    /* seconds that splits of launches since the last judgement could have saved, times their likelihood */
    double likely CX_GUARDED_BY(cx_context_locked);
    bool judged CX_GUARDED_BY(cx_context_locked); /* the launch that is being planned was judged anew */
    struct cx_last_judged last CX_GUARDED_BY(cx_context_locked);
};

enum { CX_LAST_PARTITIONS = 4, CX_MERGE_MEMORIES = 8 }; /* shapes of one function */

/* What earlier splits of one shape did. */
struct cx_kernel_shapes {
    struct cx_merge_memory
        merges[CX_MERGE_MEMORIES] CX_GUARDED_BY(cx_context_locked); /* at shape >> 32, modulo that */
    /* at the number of groups, modulo that */
    struct cx_last_partition last_partitions[CX_LAST_PARTITIONS] CX_GUARDED_BY(cx_context_locked);
    /* memories of such a balancer, by number of groups; never replaced */
    struct cx_memory *memories[CX_KERNEL_MEMORIES] CX_GUARDED_BY(cx_context_locked);
};

/* How long launches take whole (plan_stake.h), and which of them are measured. */
struct cx_kernel_lengths {
    struct cx_length known[CX_LENGTHS] CX_GUARDED_BY(cx_context_locked);
    unsigned n CX_GUARDED_BY(cx_context_locked); /* added so far, the next at n % CX_LENGTHS */
    /* launches on the fastest member whose length was not known */
    unsigned unknown CX_GUARDED_BY(cx_context_locked);
    unsigned prefixes CX_GUARDED_BY(cx_context_locked); /* launches that began with slices (prefix.h) */
    atomic_uint timing;  /* whole launches in flight whose times will be measured */
    atomic_uint telling; /* ... whose length is not known yet */
    /* whole launches planned since one whose times were wanted, and how many of these there were */
    unsigned unmeasured CX_GUARDED_BY(cx_context_locked);
    unsigned measured CX_GUARDED_BY(cx_context_locked);
};

/* What former processes were asked (recall.h). */
struct cx_kernel_recall {
    unsigned char name[16] CX_GUARDED_BY(cx_context_locked); /* the kernel's hash */
    bool has_name CX_GUARDED_BY(cx_context_locked);          /* ... is made */
    bool related CX_GUARDED_BY(cx_context_locked);           /* relations of members' speeds were entered */
    bool tuned CX_GUARDED_BY(cx_context_locked);             /* what policies found was entered */
    bool known CX_GUARDED_BY(cx_context_locked);             /* former processes launched it */
    bool saved CX_GUARDED_BY(cx_context_locked); /* ... and saved by splits, of one shape at least */
    uint64_t shapes[CX_KERNEL_RECALLS] CX_GUARDED_BY(cx_context_locked); /* that were asked for */
    unsigned n CX_GUARDED_BY(cx_context_locked); /* ... so far, the next at n % CX_KERNEL_RECALLS */
};

/* Launches that are not split first and checked afterwards (check_rules.h). */
struct cx_kernel_checks {
    unsigned left;  /* the next ones */
    unsigned many;  /* ... after one more conflict */
    unsigned stood; /* checked launches that stood since the last conflict */
};

/* scattered_data.h: what planning whole launches took since their data was last brought together, and what
 * that would have cost when last asked; seconds. Called by scattered_data.c. */
struct cx_scattered {
    double seconds, price;
};

/* The history; guarded by context->lock, except atomic fields. */
struct cx_kernel_history {
    struct cx_speed_record *records CX_GUARDED_BY(cx_context_locked); /* one a member, in work-groups/s */
    struct cx_chains_times *times CX_GUARDED_BY(cx_context_locked);   /* likewise, of the last launches */
    struct cx_kernel_verdicts verdicts;
    struct cx_kernel_shapes shapes;
    struct cx_kernel_lengths lengths;
    struct cx_kernel_recall recall;
    struct cx_kernel_checks checks CX_GUARDED_BY(cx_context_locked);
    struct cx_feedback_record feedback CX_GUARDED_BY(cx_context_locked); /* how its splits did */
    struct cx_scattered scattered CX_GUARDED_BY(cx_context_locked);
    /* how its results are used (result_use.h); NULL: none yet */
    struct cx_result_uses *result_uses CX_GUARDED_BY(cx_context_locked);
    /* devices' parts of launches, if these are stable */
    struct cx_parts parts CX_GUARDED_BY(cx_context_locked);
    struct cx_follow_record follow CX_GUARDED_BY(cx_context_locked); /* follow_data.h */
    struct cx_objective objective CX_GUARDED_BY(cx_context_locked);  /* plan_objective.h */
    struct cx_budget_record risk CX_GUARDED_BY(cx_context_locked);   /* of its splits */
    /* of its chains (plan_chains.h), one a member that they moved to */
    struct cx_budget_record *moves CX_GUARDED_BY(cx_context_locked);
    /* members, as bits, that splits of it were planned for */
    uint64_t begun CX_GUARDED_BY(cx_context_locked);
    bool proven CX_GUARDED_BY(cx_context_locked); /* a split of it ran without a driver failing on it */
    struct cx_launch_forms forms CX_GUARDED_BY(cx_context_locked); /* that were launched before */
    /* seconds before the fastest member's first package of such a form, in this process or a former one; 0:
     * not measured */
    double compiles CX_GUARDED_BY(cx_context_locked);
    /* seconds that launches would have saved, split, had a CPU's driver compiled it (compile_ahead.h) */
    double missed_uncompiled CX_GUARDED_BY(cx_context_locked);
    /* seconds of launches that lacked a split variant, by measured speeds */
    double unvaried CX_GUARDED_BY(cx_context_locked);
    struct cx_replay replays[CX_REPLAY_FORMS] CX_GUARDED_BY(cx_context_locked); /* newest first */
    struct cx_takes takes CX_GUARDED_BY(cx_context_locked);                     /* take.h */
    /* what balancers found out (scheduler/tuning.h); NULL: nothing yet */
    struct cx_tuning *tuning CX_GUARDED_BY(cx_context_locked);
};
/* The function's history, made at the first call. NULL: no memory. Called by plan/ and launch/. */
struct cx_kernel_history *cx_kernel_history_of(struct cx_function *function, unsigned nmembers)
    CX_HOLDS(cx_context_locked);
/* The memory of launches with that many groups for the balancer that learns; NULL: there is none. Called
 * by candidates.c and plan_share.c. */
struct cx_memory *cx_kernel_history_memory(const struct cx_kernel_history *history, uint64_t groups)
    CX_HOLDS(cx_context_locked);

#endif
