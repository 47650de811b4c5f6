/* SPDX-License-Identifier: MIT */
/*
 * What split launches lost. See feedback.h.
 */
#include "scheduler/feedback.h"

#include <math.h>

/* Splits of a kernel before they count. */
enum { WARM = 3 };
/* How many of the last eight splits must have been slower, so that no hiccup counts as evidence, or which of
 * them much slower. How many splits' or whole launches' worth of time must have been lost, and what one of
 * them can count for at most, as a multiple of a whole launch. */
enum { EVIDENCE = 5, STEEP = 7 /* the last three */ };
static const double lost_launches = 3, lost_whole = 6, least_lost = 500e-6, most_lost = 10;
/* ... and what it can tell of the next ones. */
static const double most_ratio = 2;
/* Good splits pay for bad ones to come, up to so many seconds: a long good phase must not hide a bad one. */
static const double most_saved = 20e-3;
static const double good_ratio = 0.5, smoothing = 0.25;
/* Launches until splits are tried again, the first time and at most; and how many times as long as finding
 * out took they must have run by then. */
static const uint64_t first_while = 256, longest_while = 1 << 20;
static const double worth = 50;

static void rise(struct cx_feedback *feedback)
{
    feedback->level++;
    feedback->spent += feedback->lost;
    feedback->lost = 0;
    feedback->slower = feedback->steep = 0;
}

static double newer(double old, double value)
{
    return old > 0 ? old + smoothing * (value - old) : value;
}

/* Most of the last splits were slower, or the very last ones much slower. */
static bool is_evident(const struct cx_feedback *feedback)
{
    return __builtin_popcount(feedback->slower) >= EVIDENCE || (feedback->steep & STEEP) == STEEP;
}

bool cx_feedback_count(struct cx_feedback *feedback, struct cx_feedback_record *record, double elapsed,
                       double whole)
{
    if (!(elapsed > 0) || !(whole > 0) || !isfinite(elapsed) || !isfinite(whole))
        return false;
    if (record->patience != feedback->patience)
        *record = (struct cx_feedback_record){.patience = feedback->patience};
    if (record->splits++ < WARM)
        return false;
    const double counts = fmin(elapsed, most_lost * whole);
    record->whole = newer(record->whole, whole);
    record->ratio = newer(record->ratio, fmin(elapsed / whole, most_ratio));
    feedback->lost = fmax(feedback->lost + counts - whole, -most_saved);
    feedback->slower = (uint8_t)(feedback->slower << 1 | (elapsed > whole));
    feedback->steep = (uint8_t)(feedback->steep << 1 | (elapsed > 2 * whole));
    if (feedback->level == CX_FEEDBACK_CLOSED || !is_evident(feedback) ||
        feedback->lost < fmax(least_lost, fmin(lost_launches * counts, lost_whole * whole)))
        return false;
    rise(feedback);
    return true;
}

bool cx_feedback_keeps_whole(struct cx_feedback *feedback, const struct cx_feedback_record *record)
{
    if (feedback->level == CX_FEEDBACK_OPEN)
        return false;
    const unsigned shift = 2 * (feedback->patience < 16 ? feedback->patience : 16);
    const uint64_t until = first_while << shift < longest_while ? first_while << shift : longest_while;
    const bool gains = record->ratio > 0 && record->ratio < good_ratio;
    feedback->kept_whole++;
    feedback->kept_seconds += record->whole;
    if (feedback->kept_whole <= until || feedback->kept_seconds < worth * feedback->spent)
        return feedback->level == CX_FEEDBACK_CLOSED || !gains;
    *feedback = (struct cx_feedback){.patience = feedback->patience + 1};
    return false;
}
