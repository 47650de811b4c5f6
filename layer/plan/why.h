/* SPDX-License-Identifier: MIT */
/*
 * The reasons of decisions about a launch, as values. Their texts are made where they are shown: in the log,
 * the summary, the trace and the recording. Reasons that lower rooms and the scheduler give have their own
 * enums; each of those has a range of its own here.
 *
 * Before: plan.h, which decides. After: launch_stats.h, trace_launch.h, record_launch.h, which show it.
 */
#ifndef CX_LAYER_PLAN_WHY_H
#define CX_LAYER_PLAN_WHY_H

#include "layer/access/summary.h"
#include "layer/source/analysis.h"
#include "layer/source/no_summary.h"
#include "layer/source/subrange.h"
#include "scheduler/admission.h"
#include "scheduler/budget.h"

/* Why a launch runs whole or split. */
enum cx_why {
    CX_WHY_NONE,       /* not decided yet */
    CX_WHY_ONE_DEVICE, /* whole, up to CX_WHY_OWN_MEMORY ... */
    CX_WHY_SPLIT_NEVER,
    CX_WHY_SINGLE, /* COEXEC_ALGO=single */
    CX_WHY_ENDING,
    CX_WHY_BEYOND, /* cx_launch_acceptance.beyond */
    CX_WHY_NO_LOCAL_SIZE,
    CX_WHY_FLOAT_SUMS,
    CX_WHY_NO_MEMORY,
    CX_WHY_STRAGGLER, /* cx_launch_deferral.lacks_straggler */
    CX_WHY_FOREIGN,   /* cx_kernel_is_foreign */
    CX_WHY_NOT_BUILT,
    CX_WHY_BUILD_FAILED,
    CX_WHY_NO_OTHER,
    CX_WHY_NO_VARIANT,    /* it cannot be built */
    CX_WHY_VARIANT_LATER, /* it is not built yet */
    CX_WHY_GROUP_SIZE,
    CX_WHY_REFUSED, /* take.h */
    CX_WHY_NO_ARGUMENTS,
    CX_WHY_FEEDBACK,  /* split_feedback.h */
    CX_WHY_OBJECTIVE, /* plan_objective.h */
    CX_WHY_SVM_FINE,  /* svm_rules.h */
    CX_WHY_SVM_POINTERS,
    CX_WHY_SVM_BELOW,
    CX_WHY_NO_THREAD, /* whole after all: split.c */
    CX_WHY_NO_COPIES,
    CX_WHY_CHECK_CONFLICT, /* speculation.h */
    CX_WHY_CHECK_LOST,
    CX_WHY_CHECK_LATER,  /* check_rules.h */
    CX_WHY_ONE_TOOK_ALL, /* planned split */
    CX_WHY_DATA,         /* whole, where its data is: migration_credit.h */
    CX_WHY_MIGRATION,    /* split: migration_credit.h */
    CX_WHY_REPRODUCIBLE,
    CX_WHY_SPLIT_ALWAYS,
    CX_WHY_SUMMARY,                                         /* + enum cx_summary_reason */
    CX_WHY_SUBRANGE = CX_WHY_SUMMARY + CX_REASON_COUNT,     /* + enum cx_subrange_limit */
    CX_WHY_MOVED = CX_WHY_SUBRANGE + CX_SUBRANGE_LIMITS,    /* + enum cx_files_moved */
    CX_WHY_ADMISSION = CX_WHY_MOVED + CX_FILES_MOVED,       /* + enum cx_admission_reason */
    CX_WHY_STAKE = CX_WHY_ADMISSION + CX_ADMISSION_REASONS, /* + enum cx_stake_verdict */
    CX_WHY_NO_SUMMARY = CX_WHY_STAKE + CX_STAKE_VERDICTS,   /* + enum cx_no_summary_reason */
    CX_WHY_COUNT = CX_WHY_NO_SUMMARY + CX_NO_SUMMARY_REASONS
};
static inline enum cx_why cx_why_no_summary(enum cx_no_summary_reason reason)
{
    return (enum cx_why)((unsigned)CX_WHY_NO_SUMMARY + (unsigned)reason);
}
static inline enum cx_why cx_why_summary(enum cx_summary_reason reason)
{
    return (enum cx_why)((unsigned)CX_WHY_SUMMARY + (unsigned)reason);
}
static inline enum cx_why cx_why_subrange(enum cx_subrange_limit limit)
{
    return (enum cx_why)((unsigned)CX_WHY_SUBRANGE + (unsigned)limit);
}
static inline enum cx_why cx_why_moved(enum cx_files_moved moved)
{
    return (enum cx_why)((unsigned)CX_WHY_MOVED + (unsigned)moved);
}
static inline enum cx_why cx_why_admission(enum cx_admission_reason reason)
{
    return (enum cx_why)((unsigned)CX_WHY_ADMISSION + (unsigned)reason);
}
static inline enum cx_why cx_why_stake(enum cx_stake_verdict verdict)
{
    return (enum cx_why)((unsigned)CX_WHY_STAKE + (unsigned)verdict);
}
/* A phrase that completes "runs whole/split: ..."; "" for NONE, and where the analyser
 * reported why (cx_launch_decision.report). Called by launch_state.h and
 * launch/split.c. */
const char *cx_why_text(enum cx_why why);

#endif
