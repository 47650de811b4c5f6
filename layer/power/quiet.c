/* SPDX-License-Identifier: MIT */
/*
 * Samples of power of devices that do not compute. See quiet.h.
 */
#include "layer/power/quiet.h"

#include <math.h>
#include <string.h>

static const double steps_apart = 2, least_step = 0.05, least_error = 0.03;
enum { FEWEST = 3 };

void cx_power_quiet_init(struct cx_power_quiet *quiet, const struct cx_power_sources *sources)
{
    memset(quiet, 0, sizeof *quiet);
    quiet->sources = sources->n;
    for (unsigned i = 0; i < sources->n; i++)
        quiet->margin[i] = steps_apart * fmax(sources->source[i].step_seconds, least_step);
}

static bool is_quiet(const struct cx_power_quiet *quiet, const struct cx_power_sample *sample, unsigned i,
                     bool all)
{
    return !(sample->busy >> i & 1) && sample->watts[i] >= 0 && (all || sample->at < quiet->until[i]);
}

static void add(struct cx_power_quiet_sum *sum, double watts)
{
    sum->n++;
    sum->watts += watts;
    sum->squares += watts * watts;
}

void cx_power_quiet_sample(struct cx_power_quiet *quiet, const struct cx_power_meter *meter, double at)
{
    struct cx_power_sample *sample = &quiet->sample[quiet->n % CX_POWER_SAMPLES];
    quiet->first = quiet->n ? quiet->first : at;
    for (unsigned i = 0; quiet->n >= CX_POWER_SAMPLES && i < quiet->sources; i++)
        if (is_quiet(quiet, sample, i, false))
            add(&quiet->settled[i], (double)sample->watts[i]);
    sample->at = at;
    sample->busy = 0;
    for (unsigned i = 0; i < quiet->sources; i++) {
        const double since = fmax(quiet->first, quiet->until[i]);
        sample->watts[i] = (float)meter->track[i].watts;
        sample->busy |= (uint64_t)(at < since + quiet->margin[i] || meter->track[i].lost) << i;
    }
    quiet->n++;
}

void cx_power_quiet_busy(struct cx_power_quiet *quiet, unsigned source, double from, double to)
{
    quiet->until[source] = fmax(quiet->until[source], to);
    for (unsigned back = 1; back <= quiet->n && back <= CX_POWER_SAMPLES; back++) {
        struct cx_power_sample *sample = &quiet->sample[(quiet->n - back) % CX_POWER_SAMPLES];
        if (sample->at < from)
            return;
        sample->busy |= (uint64_t)(sample->at < to + quiet->margin[source]) << source;
    }
}

bool cx_power_quiet_watts(const struct cx_power_quiet *quiet, unsigned source, bool all,
                          struct cx_power_fitted *watts)
{
    struct cx_power_quiet_sum sum = quiet->settled[source];
    for (unsigned s = 0; s < quiet->n && s < CX_POWER_SAMPLES; s++)
        if (is_quiet(quiet, &quiet->sample[s], source, all))
            add(&sum, (double)quiet->sample[s].watts[source]);
    if (sum.n < FEWEST)
        return false;
    const double mean = sum.watts / sum.n, square = sum.squares / sum.n - mean * mean;
    *watts = (struct cx_power_fitted){mean, fmax(sqrt(fmax(square, 0)), least_error * mean)};
    return true;
}
