/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of one kernel's speed on one device.
 * Sums of groups and of seconds decay by one factor, so a launch counts by its size: a probe of one group
 * does not outweigh launches of thousands, and is outweighed by the first of them. Previous stage:
 * admission.h.
 */
#include "scheduler/admission.h"
#include <math.h>
#include <stdlib.h>

/* What is left of the past when a launch is added. */
static const double decay = 0.7;
/* How fast a low speed is forgotten: a device that was slow once gets at most this much more each time it
 * works. */
static const double forgiveness = 1.25;

/* A speed that is so many times off what was steady before, twice in a row and in the same direction, is the
 * speed now: something else has the device's cores, or has them no more. Once may be a matter of a moment,
 * and what was never steady depends on which groups it got. */
static const double drift = 1.3, steady = 1.1;
enum { ODD_LAUNCHES = 2, STEADY_LAUNCHES = 3 };

/* So many first launches in a row mean that the program hardly has others. */
enum { FIRSTS_TRUSTED = 3 };

static void forget(struct cx_speed_record *record)
{
    record->groups = record->seconds = record->slowest = 0;
    record->samples = 0;
    record->doubtful = false;
}

/* Whether the device's speed has changed; counts the launch. */
static bool has_drifted(struct cx_speed_record *record, double speed)
{
    const double ratio = speed / cx_speed_record_speed(record);
    const int direction = ratio > drift ? 1 : ratio < 1 / drift ? -1 : 0;
    if (direction == 0) {
        record->odd = 0;
        record->steady = ratio < steady && ratio > 1 / steady ? record->steady + 1 : 0;
        return false;
    }
    record->odd = record->odd * direction > 0 ? record->odd + direction : direction;
    const bool drifted = record->steady >= STEADY_LAUNCHES && abs(record->odd) == ODD_LAUNCHES;
    record->odd = drifted ? 0 : record->odd;
    return drifted;
}

void cx_speed_record_first(struct cx_speed_record *record, uint64_t groups, uint64_t fill, double seconds)
{
    const bool known = record->samples > 0 && !record->doubtful;
    if (known || groups == 0 || !isfinite(seconds) || !(seconds > 0) || ++record->firsts < FIRSTS_TRUSTED)
        return;
    if (record->samples > 0 && (double)groups / seconds <= cx_speed_record_speed(record))
        return;
    forget(record);
    cx_speed_record_update(record, groups, fill, seconds);
    record->doubtful = true;
}

void cx_speed_record_update(struct cx_speed_record *record, uint64_t groups, uint64_t fill, double seconds)
{
    if (groups == 0 || !isfinite(seconds) || !(seconds > 0))
        return;
    if (record->doubtful)
        forget(record);
    double filled = (double)(groups > fill ? groups : fill), speed = filled / seconds;
    if (record->samples > 0 && has_drifted(record, speed))
        record->groups = record->seconds = 0;
    record->slowest = record->samples == 0 ? speed : fmin(speed, record->slowest * forgiveness);
    record->groups = record->groups * decay + filled;
    record->seconds = record->seconds * decay + seconds;
    record->samples++;
}

void cx_speed_record_few(struct cx_speed_record *record, double seconds)
{
    if (isfinite(seconds) && seconds > 0)
        record->few = record->few > 0 ? fmin(record->few * forgiveness, seconds) : seconds;
}

double cx_speed_record_speed(const struct cx_speed_record *record)
{
    if (!record || record->samples == 0)
        return 0;
    double speed = record->groups / record->seconds;
    return isfinite(speed) && speed > 0 ? speed : 0;
}

double cx_speed_record_probe_at(const struct cx_speed_record *record)
{
    uint64_t index = record ? record->samples + 1 : 1;
    double at = 0, step = 0.5;
    for (; index;
         index /= 2, step /= 2) /* van der Corput: the digits of the index behind the point, mirrored */
        at += (double)(index % 2) * step;
    return at;
}
