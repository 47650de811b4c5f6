/* SPDX-License-Identifier: MIT */
/*
 * Split feedback: whether split launches have paid, all costs counted. admission.h predicts; this measures.
 *
 * Admission decides about each launch by where the data is at that moment. So a program whose launches read
 * what others wrote can be trapped: once its buffers are distributed over devices, collecting them for one
 * whole launch costs more than one more split, again and again, though whole launches would need no moves at
 * all. Split feedback adds up the time that split launches took beyond what one device would have needed for
 * their work. If the sum is too large, launches run whole for a while, first those that gain least, then all;
 * after ever longer periods splits are tried again.
 *
 * The sum is that of a whole context, since kernels share buffers: one whole launch between split ones may
 * cost both. Seconds everywhere. Thread-safety: none, the caller serialises.
 */
#ifndef CX_SCHEDULER_FEEDBACK_H
#define CX_SCHEDULER_FEEDBACK_H

#include <stdbool.h>
#include <stdint.h>

enum cx_feedback_level {
    CX_FEEDBACK_OPEN,  /* admission decides */
    CX_FEEDBACK_SOME,  /* only kernels split whose splits take less than half the time of a whole launch */
    CX_FEEDBACK_CLOSED /* none does */
};

/* Zeroed: open. */
struct cx_feedback {
    enum cx_feedback_level level;
    double lost; /* seconds that splits took beyond whole launches since the level changed; splits that gain
                    reduce it */
    /* a bit for each of the last splits, the newest lowest: one device would have been faster; twice as fast
     */
    uint8_t slower, steep;
    double spent;        /* what finding out has cost since it was open */
    uint64_t kept_whole; /* launches kept whole since it was open */
    double kept_seconds; /* seconds that these take, by what was measured */
    unsigned patience;   /* times that it opened again: each while is four times as long */
};

/* What is known of one kernel's splits; zeroed: nothing. */
struct cx_feedback_record {
    unsigned splits;
    double whole;      /* of a launch on one device, seconds, newer ones counting more */
    double ratio;      /* of a split's time to a whole launch's, newer ones counting more */
    unsigned patience; /* of the feedback, when they were split: what they took before it opened again does
                          not tell what they take now */
};

/* Counts a split launch that took `elapsed`, where one device would have needed `whole`, both with moves that
 * the program causes in either case. The first splits of a kernel do not count, since drivers compile and
 * buffers are moved to the devices. Nonsense is ignored. Returns whether the level rose. Called by
 * plan/split_feedback.c. */
bool cx_feedback_count(struct cx_feedback *feedback, struct cx_feedback_record *record, double elapsed,
                       double whole);
/* How many of the kernel's splits tell how the next ones do. Called by plan/migration_credit.c. */
static inline unsigned cx_feedback_splits(const struct cx_feedback *feedback,
                                          const struct cx_feedback_record *record)
{
    return record->patience == feedback->patience ? record->splits : 0;
}
/* Whether the kernel's next launch, which may be split, must stay whole. Counts the launch. Called by
 * plan/split_feedback.c. */
bool cx_feedback_keeps_whole(struct cx_feedback *feedback, const struct cx_feedback_record *record);

#endif
