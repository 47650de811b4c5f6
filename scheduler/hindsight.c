/* SPDX-License-Identifier: MIT */
/*
 * What split launches lost. See hindsight.h.
 */
#include "scheduler/hindsight.h"

#include <math.h>

/* Splits of a kernel before they count. */
enum { WARM = 3 };
/* How many of the last eight splits must have been slower, so that no hiccup counts as evidence, how many
 * launches' worth of time must have been lost, and what one of them can count for at most, as a multiple of a
 * whole launch. */
enum { EVIDENCE = 5 };
static const double lost_launches = 3, least_lost = 500e-6, most_lost = 10;
/* Good splits pay for bad ones to come, up to so many seconds: a long good phase must not hide a bad one. */
static const double most_saved = 20e-3;
static const double good_ratio = 0.5, smoothing = 0.25;
/* Launches until splits are tried again, the first time and at most. */
static const uint64_t first_while = 256, longest_while = 1 << 20;

static void rise(struct cx_hindsight *hindsight)
{
    hindsight->level++;
    hindsight->lost = 0;
    hindsight->late = 0;
    hindsight->held = 0;
}

bool cx_hindsight_count(struct cx_hindsight *hindsight, struct cx_hindsight_record *record, double elapsed,
                        double whole)
{
    if (!(elapsed > 0) || !(whole > 0) || !isfinite(elapsed) || !isfinite(whole))
        return false;
    if (record->splits++ < WARM)
        return false;
    record->ratio += (record->ratio > 0 ? smoothing : 1) * (elapsed / whole - record->ratio);
    hindsight->lost = fmax(hindsight->lost + fmin(elapsed, most_lost * whole) - whole, -most_saved);
    hindsight->late = (uint8_t)(hindsight->late << 1 | (elapsed > whole));
    if (hindsight->level == CX_HINDSIGHT_CLOSED || __builtin_popcount(hindsight->late) < EVIDENCE ||
        hindsight->lost < fmax(least_lost, lost_launches * fmin(elapsed, most_lost * whole)))
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
    if (++hindsight->held > until) {
        *hindsight = (struct cx_hindsight){.patience = hindsight->patience + 1};
        return false;
    }
    return hindsight->level == CX_HINDSIGHT_CLOSED || !(record->ratio > 0 && record->ratio < good_ratio);
}
