/* SPDX-License-Identifier: MIT */
/*
 * What split launches lost. See hindsight.h.
 */
#include "scheduler/hindsight.h"

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

static void rise(struct cx_hindsight *hindsight)
{
    hindsight->level++;
    hindsight->spent += hindsight->lost;
    hindsight->lost = 0;
    hindsight->late = hindsight->steep = 0;
}

static double newer(double old, double value)
{
    return old > 0 ? old + smoothing * (value - old) : value;
}

/* Most of the last splits were slower, or the very last ones much slower. */
static bool is_evident(const struct cx_hindsight *hindsight)
{
    return __builtin_popcount(hindsight->late) >= EVIDENCE || (hindsight->steep & STEEP) == STEEP;
}

bool cx_hindsight_count(struct cx_hindsight *hindsight, struct cx_hindsight_record *record, double elapsed,
                        double whole)
{
    if (!(elapsed > 0) || !(whole > 0) || !isfinite(elapsed) || !isfinite(whole))
        return false;
    if (record->splits++ < WARM)
        return false;
    const double counts = fmin(elapsed, most_lost * whole);
    record->whole = newer(record->whole, whole);
    record->ratio = newer(record->ratio, fmin(elapsed / whole, most_ratio));
    hindsight->lost = fmax(hindsight->lost + counts - whole, -most_saved);
    hindsight->late = (uint8_t)(hindsight->late << 1 | (elapsed > whole));
    hindsight->steep = (uint8_t)(hindsight->steep << 1 | (elapsed > 2 * whole));
    if (hindsight->level == CX_HINDSIGHT_CLOSED || !is_evident(hindsight) ||
        hindsight->lost < fmax(least_lost, fmin(lost_launches * counts, lost_whole * whole)))
        return false;
    rise(hindsight);
    return true;
}

bool cx_hindsight_holds(struct cx_hindsight *hindsight, const struct cx_hindsight_record *record)
{
    if (hindsight->level == CX_HINDSIGHT_OPEN)
        return false;
    const unsigned shift = 2 * (hindsight->patience < 16 ? hindsight->patience : 16);
    const uint64_t until = first_while << shift < longest_while ? first_while << shift : longest_while;
    const bool gains = record->ratio > 0 && record->ratio < good_ratio;
    hindsight->held++;
    hindsight->held_for += record->whole;
    if (hindsight->held <= until || hindsight->held_for < worth * hindsight->spent)
        return hindsight->level == CX_HINDSIGHT_CLOSED || !gains;
    *hindsight = (struct cx_hindsight){.patience = hindsight->patience + 1};
    return false;
}
