/* SPDX-License-Identifier: MIT */
/*
 * Looks back where admission.h looks ahead: whether split launches pay, all things counted.
 *
 * Admission decides launch by launch from what is where at that moment. A program whose launches read what
 * others wrote can be caught so: once its buffers lie in parts on several devices, bringing them together for
 * one whole launch costs more than one more split, and so on for ever, though whole launches would need no
 * moves at all. Hindsight adds up what split launches took beyond the time that one device would have needed
 * for their work. When that sum says so, launches run whole for a while, at first those that gain least, then
 * all; after ever longer whiles splits are tried again.
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
    CX_FEEDBACK_SOME,  /* only kernels split that take less than half of the time of a whole launch */
    CX_FEEDBACK_CLOSED /* none does */
};

/* Zeroed: open. */
struct cx_feedback {
    enum cx_feedback_level level;
    double lost; /* what splits took beyond whole launches since the level changed; good ones pay back */
    /* of the last splits, the newest lowest: whether one device would have been faster, and twice as fast */
    uint8_t slower, steep;
    double spent;        /* what finding out has cost since it was open */
    uint64_t kept_whole; /* launches kept whole since it was open */
    double kept_seconds; /* seconds that these take, by what was measured */
    unsigned patience;   /* times that it opened again: each while is four times as long */
};

/* What is known of one kernel's splits; zeroed: nothing. */
struct cx_feedback_record {
    unsigned splits;
    double whole; /* of a launch on one device, seconds, newer ones counting more */
    double ratio; /* of a split's time to a whole launch's, newer ones counting more */
};

/* A split launch is over: it took `elapsed`, and one device would have needed `whole`, moves that the program
 * would have caused there as well included. The first splits of a kernel teach nothing: drivers compile, and
 * buffers come to the devices. Nonsense is ignored. Gives whether the level rose. Called by
 * plan/split_feedback.c. */
bool cx_feedback_count(struct cx_feedback *feedback, struct cx_feedback_record *record, double elapsed,
                       double whole);
/* Whether the kernel's next launch, which may be split, has to stay whole. Counts it. Called by
 * plan/split_feedback.c. */
bool cx_feedback_keeps_whole(struct cx_feedback *feedback, const struct cx_feedback_record *record);

#endif
