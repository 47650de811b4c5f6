/* SPDX-License-Identifier: MIT */
/*
 * Counters that wrap, powers that are integrated, and how wrong both may be. See meter.h.
 */
#include "layer/power/meter.h"
#include "layer/base/clock.h"

#include <math.h>
#include <stdlib.h>

/* A window has so many steps at least; a power by two readings of a counter is over so many. */
static const double window_steps = 10, power_steps = 5;

static double host_clock(void)
{
    return (double)cx_clock_ns() * 1e-9;
}

struct cx_power_meter *cx_power_meter_create(double (*clock)(void))
{
    struct cx_power_meter *meter = calloc(1, sizeof *meter);
    if (!meter)
        return NULL;
    meter->clock = clock ? clock : host_clock;
    cx_power_sources_find(&meter->sources);
    for (unsigned i = 0; i < meter->sources.n; i++)
        meter->track[i].watts = -1;
    return meter;
}

void cx_power_meter_destroy(struct cx_power_meter *meter)
{
    free(meter);
}

static void saw_watts(struct cx_power_track *track, double watts)
{
    track->watts = watts;
    track->most = fmax(track->most, watts);
}

/* A counter without a power beside it tells that, too, over some steps. */
static void derive_watts(const struct cx_power_source *source, struct cx_power_track *track, double at)
{
    const double seconds = at - track->watts_at;
    if (!track->begun || seconds < power_steps * source->step_seconds) {
        track->watts_at = track->begun ? track->watts_at : at;
        return;
    }
    saw_watts(track, (track->joules - track->watts_joules) / seconds);
    track->watts_at = at;
    track->watts_joules = track->joules;
}

/* A counter that went back has begun anew where it does so, or the driver was loaded anew. */
static bool read_counter(const struct cx_power_source *source, struct cx_power_track *track)
{
    double count;
    if (!source->kind->count(source, &count))
        return false;
    double more = track->begun ? count - track->last_count : 0;
    if (more < 0)
        more += source->wrap_joules;
    if (more < 0)
        return false;
    track->joules += more;
    track->last_count = count;
    return true;
}

static void take_counter(struct cx_power_meter *meter, unsigned i)
{
    const struct cx_power_source *source = &meter->sources.source[i];
    struct cx_power_track *track = &meter->track[i];
    const double before = meter->clock();
    track->lost |= !read_counter(source, track);
    const double after = meter->clock();
    track->call = fmax(track->call, after - before);
    if (!source->gauges)
        derive_watts(source, track, after);
    track->at = after;
    track->begun = true;
}

static void take_power(struct cx_power_meter *meter, unsigned i)
{
    const struct cx_power_source *source = &meter->sources.source[i];
    struct cx_power_track *track = &meter->track[i];
    const double at = meter->clock();
    double watts;
    if (!source->kind->watts(source, &watts)) {
        track->lost |= !source->counts;
        return;
    }
    if (!source->counts && track->begun) {
        const double seconds = at - track->at, change = fabs(watts - track->watts);
        track->joules += seconds * (watts + track->watts) / 2;
        track->unsure += change * fmax(seconds, source->step_seconds) / 2;
    }
    saw_watts(track, watts);
    if (!source->counts) {
        track->at = at;
        track->begun = true;
    }
}

static void read_source(struct cx_power_meter *meter, unsigned i, bool all)
{
    const struct cx_power_source *source = &meter->sources.source[i];
    if (meter->track[i].lost)
        return;
    if (source->gauges)
        take_power(meter, i);
    if (source->counts && (all || !source->count_is_costly))
        take_counter(meter, i);
}

void cx_power_meter_sample(struct cx_power_meter *meter)
{
    for (unsigned i = 0; i < meter->sources.n; i++)
        read_source(meter, i, false);
}

void cx_power_meter_mark(struct cx_power_meter *meter, struct cx_power_mark *mark)
{
    for (unsigned i = 0; i < meter->sources.n; i++) {
        read_source(meter, i, true);
        mark->of[i] = meter->track[i];
    }
}

struct cx_power_figure cx_power_meter_between(const struct cx_power_meter *meter,
                                              const struct cx_power_mark *from,
                                              const struct cx_power_mark *to, unsigned source)
{
    const struct cx_power_source *of = &meter->sources.source[source];
    const struct cx_power_track *begin = &from->of[source], *end = &to->of[source];
    struct cx_power_figure figure = {.seconds = end->at - begin->at};
    if (end->lost || !begin->begun)
        figure.lack = CX_POWER_LOST;
    else if (figure.seconds < window_steps * of->step_seconds)
        figure.lack = CX_POWER_TOO_SHORT;
    if (figure.lack != CX_POWER_KNOWN)
        return figure;
    figure.joules = end->joules - begin->joules;
    figure.watts = figure.joules / figure.seconds;
    figure.error =
        end->unsure - begin->unsure + (of->step_seconds + end->call) * fmax(end->most, figure.watts);
    return figure;
}

const char *cx_power_lack_text(enum cx_power_lack lack)
{
    static const char *const texts[] = {"", "too short for a figure", "cannot be read any more"};
    return lack <= CX_POWER_LOST ? texts[lack] : "?";
}
