/* SPDX-License-Identifier: MIT */
/*
 * Whether judging a launch pays. See judging_price.h.
 */
#include "layer/plan/judging_price.h"
#include "layer/base/split_policy.h"
#include "layer/plan/plan_size.h"

#include <math.h>

/* Speeds of so many launches tell how long others take. */
enum { MANY_SAMPLES = 4 };
/* What is left of what judging took with each launch that is not judged. */
#define BELIEF 0.99
/* After so many judgements in vain a split does not become less likely. */
enum { MOST_VAIN = 6 };

static bool is_measured(const struct cx_launch *launch, const struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked)
{
    bool measured = false;
    for (unsigned m = 0; m < launch->base.context->nmembers; m++)
        measured |= history->records[m].samples >= MANY_SAMPLES;
    return measured;
}

/* Whether splits of those like this one could together have saved more than judging takes, had this one's
 * arguments been judged the first time that they came. */
static bool pays_by_now(struct cx_kernel_verdicts *verdicts, uint64_t hash, double gain)
    CX_HOLDS(cx_context_locked)
{
    unsigned i = 0;
    while (i < CX_VERDICTS && i < verdicts->nskipped && verdicts->skipped[i].hash != hash)
        i++;
    if (i == CX_VERDICTS || i == verdicts->nskipped) {
        i = verdicts->nskipped++ % CX_VERDICTS;
        verdicts->skipped[i].hash = hash;
        verdicts->skipped[i].lost = 0;
    }
    verdicts->skipped[i].lost += fmax(gain, 0);
    verdicts->seconds *= BELIEF;
    return verdicts->skipped[i].lost > verdicts->seconds;
}

enum cx_judging cx_judging_pays(const struct cx_launch *launch, struct cx_kernel_history *history,
                                uint64_t hash)
{
    const unsigned nmembers = launch->base.context->nmembers;
    struct cx_kernel_verdicts *verdicts = &history->verdicts;
    const double gain = cx_plan_expected(launch) * (nmembers - 1) / nmembers - CX_SPLIT_SECONDS;

    if (!is_measured(launch, history))
        return CX_JUDGING_PAYS;
    if (gain <= verdicts->seconds)
        return pays_by_now(verdicts, hash, gain) ? CX_JUDGING_PAYS : CX_JUDGING_TOO_SHORT;
    if (!cx_split_policy_bounded() || launch->deferral.planned_before)
        return CX_JUDGING_PAYS;
    verdicts->likely += ldexp(gain, -(int)verdicts->vain);
    return verdicts->likely > verdicts->seconds ? CX_JUDGING_PAYS : CX_JUDGING_UNLIKELY;
}

void cx_judging_took(struct cx_kernel_history *history, double seconds)
{
    struct cx_kernel_verdicts *verdicts = &history->verdicts;
    verdicts->seconds = verdicts->seconds > 0 ? (verdicts->seconds + seconds) / 2 : seconds;
    verdicts->likely = 0;
}

void cx_judging_decided(const struct cx_launch *launch, enum cx_plan_kind kind)
{
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    struct cx_kernel_verdicts *verdicts = history ? &history->verdicts : NULL;
    if (!verdicts || !verdicts->judged)
        return;
    verdicts->judged = false;
    if (kind == CX_PLAN_WAIT || launch->deferral.lacks_straggler) /* which will be over */
        return;
    if (kind == CX_PLAN_SPLIT || kind == CX_PLAN_SLICES) {
        verdicts->vain = 0; /* so that the next one is judged */
        return;
    }
    if (verdicts->vain < MOST_VAIN)
        verdicts->vain++;
    verdicts->last = (struct cx_last_judged){.reason = launch->decision.reason,
                                             .line = launch->decision.line,
                                             .other_line = launch->decision.other_line,
                                             .arg = launch->decision.arg,
                                             .use = launch->decision.use,
                                             .repeats = launch->decision.repeats,
                                             .longest = launch->decision.longest,
                                             .lacks_builds = launch->deferral.lacks_builds,
                                             .missing_variant = launch->deferral.missing_variant};
}

void cx_judging_repeat(struct cx_launch *launch, const struct cx_kernel_history *history)
{
    const struct cx_last_judged *last = &history->verdicts.last;
    launch->decision.reason = last->reason;
    launch->decision.line = last->line;
    launch->decision.other_line = last->other_line;
    launch->decision.arg = last->arg;
    launch->decision.use = last->use;
    launch->decision.repeats = last->repeats;
    launch->decision.longest = last->longest;
    launch->deferral.lacks_builds = last->lacks_builds;
    launch->deferral.missing_variant = last->missing_variant;
    if (last->lacks_builds)
        cx_plan_want(launch, last->missing_variant);
}
