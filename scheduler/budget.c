/* SPDX-License-Identifier: MIT */
/*
 * The account of what splits may lose. See budget.h.
 */
#include "scheduler/budget.h"

#include <math.h>

/* How much of its ratio the newest split makes up. */
#define NEWEST 0.5
/* What is left, with each split, of what former ones saved and what it took to bring their results back. */
#define KEPT 0.95

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
    budget->returned = fmax(budget->returned - seconds / CX_BUDGET_AGAIN, 0);
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

/* Splits lost more beyond their bounds than the account ever held: bounds are wrong, so only what was seen to
 * gain is split. */
static bool is_misled(const struct cx_budget *budget)
{
    return budget->share < 1 && budget->excess > 0 && budget->excess >= budget->share * budget->busy;
}

/* Its splits gain, if only a little. */
static bool gains_a_little(const struct cx_budget_record *record)
{
    return record->gains > 0 && record->lost <= 0 && record->ratio < 1 - CX_BUDGET_SMALL;
}

/* The least gain of its launches that counts, as a part of them. */
static double least_gain(const struct cx_budget_record *record)
{
    return gains_a_little(record) && record->gains >= CX_BUDGET_SEEN ? CX_BUDGET_SMALL : CX_BUDGET_GAIN;
}

static bool has_gained(const struct cx_budget_record *record)
{
    return record->splits > 0 && record->ratio < 1 - least_gain(record);
}

double cx_budget_left_for_curiosity(const struct cx_budget *budget)
{
    const double left = cx_budget_left(budget);
    const double others = (1 - CX_BUDGET_CURIOUS) * budget->share * budget->busy;
    return isfinite(left) ? fmax(left - others, 0) : left;
}

double cx_stake_risk(const struct cx_stake *stake)
{
    const double loss = fmax(stake->worst, stake->split) - stake->whole;
    return isnan(stake->worst) || isnan(loss) ? INFINITY : fmax(loss, 0);
}

/* Whether its launches have not yet made good what it lost. A split by knowledge has to wait only where
 * bounds were wrong: what a trial lost as foreseen, to moves or a first use, is over; and not where splits
 * gained so much before that one which was disturbed does not count. */
static bool waits(const struct cx_budget_record *record, double lost)
{
    return record->since < CX_BUDGET_AGAIN * lost;
}

/* A row of splits is under way that is judged as a whole. */
static bool is_in_row(const struct cx_budget_record *record)
{
    return record->row > 0 && record->row < CX_BUDGET_ROW;
}

/* The row goes on with a launch whose data is where the split needs it, and has not lost more than so many of
 * these may gain. */
static bool goes_on(const struct cx_budget_record *record, const struct cx_stake *stake, double least)
{
    const double gain = stake->whole - stake->split;
    return is_in_row(record) && gain > least && record->row_lost <= CX_BUDGET_ROW * gain;
}

bool cx_budget_rests(const struct cx_budget_record *record)
{
    return record->splits > 0 && !is_in_row(record) && !has_gained(record) && !gains_a_little(record) &&
           waits(record, record->lost) && waits(record, record->excess);
}

void cx_budget_returned(struct cx_budget *budget, double seconds)
{
    if (!is_time(seconds))
        return;
    budget->returned += seconds;
    cx_budget_charge(budget, seconds);
}

/* The part of what splits save that is lost again. */
static double part_returned(const struct cx_budget *budget)
{
    const double all = fmax(budget->saved, budget->returned);
    return budget->share < 1 && all > 0 ? budget->returned / all : 0;
}

static double less_returned(double seconds, double whole, double part)
{
    return seconds < whole ? seconds + part * (whole - seconds) : seconds;
}

/* What such a launch would gain is missed if it stays whole now; true: enough was, or the last investment won
 * enough, and it is worth that risk. gain: with all in place. */
static bool invests(struct cx_budget *budget, struct cx_budget_record *record, double gain, double loss)
{
    record->missed += fmax(gain, 0);
    if (!cx_budget_pays(fmax(record->missed, record->won), 1, loss) ||
        budget->invested + loss > CX_BUDGET_INVESTED * budget->busy)
        return false;
    record->missed = record->won = 0;
    budget->invested += loss;
    return true;
}

static enum cx_stake_verdict decide(struct cx_budget *budget, struct cx_budget_record *record,
                                    const struct cx_stake *given, double *reserved)
{
    const double part = part_returned(budget);
    const struct cx_stake returning = {given->whole, less_returned(given->split, given->whole, part),
                                       less_returned(given->worst, given->whole, part),
                                       less_returned(given->later, given->whole, part), given->moved},
                          *stake = &returning;
    const double gain = least_gain(record), least = gain * stake->whole,
                 placed = stake->whole - fmax(stake->moved, 0);
    *reserved = 0;
    if (!is_time(stake->whole))
        return CX_STAKE_UNKNOWN;
    const bool promises =
        placed - stake->later > gain * placed || (has_gained(record) && part < 1 - CX_BUDGET_GAIN);
    const double loss = cx_stake_risk(stake);
    const double room = promises ? cx_budget_left(budget) : cx_budget_left_for_curiosity(budget);
    const bool early = budget->share < 1 && budget->busy < CX_BUDGET_START;
    const bool affordable = loss <= room && !early && !is_misled(budget);

    if (!promises && !affordable)
        return CX_STAKE_NO_GAIN;
    const bool on = goes_on(record, stake, least);
    const bool trusted = has_gained(record) || (!is_misled(budget) && (on || !waits(record, record->excess)));
    if (promises && stake->whole - stake->split > least && loss <= 0 && trusted)
        return CX_STAKE_SPLIT;
    const bool likely =
        promises || record->splits == 0 || gains_a_little(record) || record->won > record->lost;
    if (!on && waits(record, likely ? record->lost : fmax(record->lost, stake->whole)))
        return CX_STAKE_WAITS;
    if (!affordable && (early || is_misled(budget) || !invests(budget, record, placed - stake->later, loss)))
        return CX_STAKE_TOO_DEAR;
    *reserved = isfinite(loss) ? loss : 0;
    budget->reserved += *reserved;
    budget->trials++;
    return CX_STAKE_TRIAL;
}

enum cx_stake_verdict cx_budget_decide(struct cx_budget *budget, struct cx_budget_record *record,
                                       const struct cx_stake *stake, double *reserved)
{
    const enum cx_stake_verdict verdict = decide(budget, record, stake, reserved);
    record->row = cx_stake_splits(verdict) ? record->row + 1 : 0;
    if (record->row <= 1)
        record->row_lost = 0;
    return verdict;
}

void cx_budget_alone(struct cx_budget_record *record)
{
    record->row = 0;
}

double cx_budget_settle(struct cx_budget *budget, struct cx_budget_record *record, double reserved,
                        double whole, double elapsed)
{
    budget->reserved = fmax(budget->reserved - reserved, 0);
    if (!is_time(elapsed))
        return 0;
    if (!is_time(whole)) {
        cx_budget_charge(budget, reserved);
        return fmax(reserved, 0);
    }
    const double ratio = elapsed / whole, lost = fmax(elapsed - whole, 0), won = fmax(whole - elapsed, 0);
    const double excess = fmax(lost - reserved, 0);
    record->ratio = record->splits ? (1 - NEWEST) * record->ratio + NEWEST * ratio : ratio;
    record->splits++;
    record->gains = ratio < 1 ? record->gains + 1 : 0;
    record->won += won;
    record->lost = ratio < 1 - CX_BUDGET_GAIN ? 0 : fmax(record->lost + lost - won, 0);
    record->excess = ratio < 1 - CX_BUDGET_GAIN ? 0 : record->excess + excess;
    record->row_lost += lost - won;
    record->since = 0;
    budget->saved = KEPT * budget->saved + won;
    budget->invested = fmax(budget->invested - won, 0);
    budget->returned *= KEPT;
    cx_budget_charge(budget, lost);
    budget->excess += excess;
    return lost;
}

void cx_budget_excuse(struct cx_budget *budget, struct cx_budget_record *record, double seconds)
{
    if (!is_time(seconds))
        return;
    budget->excess = fmax(budget->excess - seconds, 0);
    record->excess = fmax(record->excess - seconds, 0);
}

void cx_budget_first_use(struct cx_budget_record *record, const struct cx_budget_record *before)
{
    record->lost = before->lost;
    record->ratio = before->ratio;
    record->splits = before->splits;
    record->gains = before->gains;
    record->row_lost = before->row_lost;
}

void cx_budget_invested(struct cx_budget_record *record, double seconds)
{
    if (!is_time(seconds))
        return;
    record->lost = fmax(record->lost - seconds, 0);
    record->row_lost -= seconds;
}

bool cx_budget_pays(double expected, double part, double price)
{
    return expected * part > CX_BUDGET_WORTH * price;
}
