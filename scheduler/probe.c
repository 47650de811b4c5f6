/* SPDX-License-Identifier: MIT */
/*
 * Probes: bounded in one launch, rare over many.
 * A probe runs beside the others, so it costs the split itself and what it might run past the launch's end,
 * taking the device to be far slower than anything suggests, behind what its driver does once, such as
 * compiling for a local size: that alone may last longer than a hundred launches. Each launch without a
 * device puts a hundredth of its time to that device's credit; a probe must be covered by it. So probes cost
 * at most 1 % over any sequence of launches. Previous stage: probe.h.
 */
#include "scheduler/probe.h"
#include "scheduler/predict.h"
#include <math.h>

/* An unmeasured device may be this many times slower than the best one (an H200 beside 16 cores: 1400 with
 * half of the launch's time as the goal, so twice this factor still ends in time); and than what its nominal
 * speed promises (there: 10), where that is less. */
static const double unmeasured_factor = 1000, least_factor = 100, nominal_factor = 16;
/* A measured one that is tried again may have become this many times slower than its record says. */
static const double measured_factor = 8;
/* A probe aims at this share of the launch's time, as slow as assumed above. */
static const double goal = 0.5;
/* Shorter launches are never worth a probe. */
static const double min_whole_seconds = 2e-3;
static const double credit_share = 0.01;
/* Launches to wait after the first probe that did not lead to work; doubles each time. */
enum { FIRST_BACKOFF = 64, LAST_BACKOFF = 1 << 20 };
/* The same where a device worked once, so that its being slow may pass. */
enum { WORKED_BACKOFF = 8 };

static uint64_t first_backoff(const struct cx_speed_record *record)
{
    return record->steady > 0 ? WORKED_BACKOFF : FIRST_BACKOFF;
}

void cx_probe_count(const struct cx_admission *launch, const struct cx_admission_member *members,
                    double whole)
{
    for (unsigned i = 0; i < launch->ndevices; i++) {
        struct cx_speed_record *record = launch->devices[i].record;
        if (!record)
            continue;
        if (members[i].takes_part) {
            record->waited = record->backoff = 0;
            record->credit = 0;
            continue;
        }
        record->waited++;
        if (isfinite(whole) && whole > 0)
            record->credit += credit_share * whole;
    }
}

/* How many times slower than the best one the device is taken to be before it is measured. */
static double factor_of(const struct cx_admission *launch, unsigned index, unsigned best)
{
    const double own = launch->devices[index].nominal_speed, other = launch->devices[best].nominal_speed;
    const double factor = own > 0 && other > 0 ? nominal_factor * other / own : unmeasured_factor;
    return fmin(fmax(factor, least_factor), unmeasured_factor);
}

/* Groups that a probe of this device gets in this launch, 0 for no probe. unmeasured: the speed that it is
 * taken for if it was not measured; *cost: what it may cost in seconds. */
static uint64_t size_probe(const struct cx_admission *launch, unsigned index, double unmeasured, double whole,
                           double *cost)
{
    const struct cx_admission_device *device = &launch->devices[index];
    double measured = cx_speed_record_speed(device->record);
    double speed = measured > 0 ? measured / measured_factor : unmeasured;
    uint64_t unit = launch->granularity ? launch->granularity : 1;
    double units = floor(speed * whole * goal / (double)unit), most = (double)(launch->groups / 2 / unit);
    uint64_t groups = (uint64_t)fmax(fmin(units, most), 1) * unit;
    if (groups >= launch->groups)
        return 0;
    double once = isfinite(device->first_seconds) ? fmax(device->first_seconds, 0) : 0;
    *cost += fmax(once + cx_predict_package(device, speed, groups) - whole, 0);
    return groups;
}

static bool may_probe(const struct cx_admission *launch, const struct cx_admission_member *members,
                      unsigned index)
{
    const struct cx_speed_record *record = launch->devices[index].record;
    enum cx_admission_part part = members[index].part;
    if (!record || (part != CX_ADMISSION_LEFT_SLOW && part != CX_ADMISSION_LEFT_UNKNOWN))
        return false;
    /* A device measured while it took part waits as if a probe had failed. */
    if (part == CX_ADMISSION_LEFT_UNKNOWN && record->samples < CX_PROBES)
        return true;
    uint64_t wait = record->backoff == 0 && record->samples > 0 ? first_backoff(record) : record->backoff;
    if (record->odd > 0) /* the newest probe was far faster: once more, and that counts */
        wait = WORKED_BACKOFF;
    return record->waited >= wait;
}

unsigned cx_probe_choose(const struct cx_admission *launch, struct cx_admission_member *members,
                         unsigned best, double whole, double overhead)
{
    if (!launch->may_probe || !(whole >= min_whole_seconds))
        return launch->ndevices;
    for (unsigned i = 0; i < launch->ndevices; i++) {
        struct cx_speed_record *record = launch->devices[i].record;
        if (members[i].takes_part || !may_probe(launch, members, i))
            continue;
        double cost = overhead;
        const double unmeasured = members[best].speed / factor_of(launch, i, best);
        uint64_t groups = size_probe(launch, i, unmeasured, whole, &cost);
        if (groups == 0 || cost > record->credit)
            continue;
        bool unknown = members[i].part == CX_ADMISSION_LEFT_UNKNOWN;
        members[i].takes_part = true;
        members[i].part = CX_ADMISSION_PROBED;
        members[i].first_package = groups;
        record->credit = 0;
        record->waited = 0;
        if (unknown && record->samples + 1 < CX_PROBES)
            return i;
        record->backoff = record->backoff == 0             ? first_backoff(record)
                          : record->backoff < LAST_BACKOFF ? 2 * record->backoff
                                                           : record->backoff;
        return i;
    }
    return launch->ndevices;
}
