/* SPDX-License-Identifier: MIT */
/*
 * The account of what splits may lose. See budget.h.
 */
#include "scheduler/budget.h"

#include <math.h>

/* A split that took so much longer than expected of the whole launch has lost; less is noise of either. */
#define NOISE 0.03
/* How much of its ratio the newest split makes up. */
#define NEWEST 0.5

const char *cx_stake_verdict_text(enum cx_stake_verdict verdict)
{
    static const char *const text[CX_STAKE_VERDICTS] = {
        [CX_STAKE_UNKNOWN] = "the fastest device has to be measured first",
        [CX_STAKE_NO_GAIN] = "a split would cost more than it gains",
        [CX_STAKE_TOO_DEAR] = "trying a split may cost more than the program has run for so far allows",
        [CX_STAKE_WAITS] = "a split of it took longer than one device would have",
        [CX_STAKE_SPLIT] = "the split is expected to end sooner",
        [CX_STAKE_TRIAL] = "a split is tried"};
    return (unsigned)verdict < CX_STAKE_VERDICTS ? text[verdict] : "?";
}

static bool is_time(double seconds)
{
    return isfinite(seconds) && seconds > 0;
}

void cx_budget_ran(struct cx_budget *budget, struct cx_budget_record *record, double seconds)
{
    if (!is_time(seconds))
        return;
    budget->busy += seconds;
    if (record)
        record->since += seconds;
}

double cx_budget_left(const struct cx_budget *budget)
{
    if (budget->share >= 1)
        return INFINITY;
    if (budget->busy < CX_BUDGET_START)
        return 0;
    return fmax(budget->share * budget->busy - budget->spent - budget->reserved, 0);
}

void cx_budget_charge(struct cx_budget *budget, double seconds)
{
    if (is_time(seconds))
        budget->spent += seconds;
}

/* More is lost than the account ever held: bounds were wrong, so only what was seen to gain is split. */
static bool is_overdrawn(const struct cx_budget *budget)
{
    return budget->share < 1 && budget->spent > 0 && budget->spent >= budget->share * budget->busy;
}

static bool has_gained(const struct cx_budget_record *record)
{
    return record->splits > 0 && record->ratio < 1 - CX_BUDGET_GAIN;
}

enum cx_stake_verdict cx_budget_decide(struct cx_budget *budget, const struct cx_budget_record *record,
                                       const struct cx_stake *stake, double *reserved)
{
    const double least = CX_BUDGET_GAIN * stake->whole;
    const bool waits = record->lost > 0 && record->since < CX_BUDGET_AGAIN * record->lost;

    *reserved = 0;
    if (!is_time(stake->whole))
        return CX_STAKE_UNKNOWN;
    if (!(stake->whole - stake->later > least))
        return CX_STAKE_NO_GAIN;
    if (waits)
        return CX_STAKE_WAITS;
    if (stake->whole - stake->split > least && stake->worst <= stake->whole &&
        (!is_overdrawn(budget) || has_gained(record)))
        return CX_STAKE_SPLIT;
    const double loss = fmax(stake->worst - stake->whole, 0);
    if (!(loss <= cx_budget_left(budget)) || is_overdrawn(budget))
        return CX_STAKE_TOO_DEAR;
    *reserved = isfinite(loss) ? loss : 0;
    budget->reserved += *reserved;
    budget->trials++;
    return CX_STAKE_TRIAL;
}

double cx_budget_settle(struct cx_budget *budget, struct cx_budget_record *record, double reserved,
                        double whole, double elapsed)
{
    budget->reserved = fmax(budget->reserved - reserved, 0);
    if (!is_time(whole) || !is_time(elapsed))
        return 0;
    const double ratio = elapsed / whole, lost = ratio > 1 + NOISE ? elapsed - whole : 0;
    record->ratio = record->splits ? (1 - NEWEST) * record->ratio + NEWEST * ratio : ratio;
    record->splits++;
    cx_budget_charge(budget, lost);
    if (lost > 0) {
        record->lost = lost;
        record->since = 0;
    } else {
        record->lost = 0;
    }
    return lost;
}

bool cx_budget_pays(double expected, double part, double price)
{
    return expected * part > CX_BUDGET_WORTH * price;
}
