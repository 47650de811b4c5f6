/* SPDX-License-Identifier: MIT */
/*
 * The decision before a launch: whole on the best device, or split over those that pay for themselves.
 * Previous stage: admission.h. Next: predict.c (times), probe.c (measuring the unknown), balancer.h.
 */
#include "scheduler/probe.h"
#include "scheduler/predict.h"
#include <math.h>

/* A split must gain this many times what it costs: predictions are good to tens of per cent at best. */
static const double gain_margin = 2;
/* Devices of one class whose nominal speeds differ by less than this start together unmeasured. */
static const double peer_ratio = 0.25;
/* Groups a device that a launch of unknown length must have to be split. */
enum { UNMEASURED_GROUPS = 4 };
/* A device slower than this part of the best must shorten the launch by min_gain to be worth the risk of its
 * last package. One of many equal devices gains less than that and is no risk. */
static const double slow_ratio = 0.125, min_gain = 0.03;

static const char *const reason_texts[CX_ADMISSION_REASONS] = {
    [CX_ADMISSION_SPLIT] = "several devices finish sooner",
    [CX_ADMISSION_SPLIT_UNMEASURED] = "devices of like nominal speed start together",
    [CX_ADMISSION_SPLIT_PROBE] = "a small package measures another device",
    [CX_ADMISSION_WHOLE_ONE_DEVICE] = "there is one device",
    [CX_ADMISSION_WHOLE_FEW_GROUPS] = "too few work-groups to share out",
    [CX_ADMISSION_WHOLE_UNMEASURED] = "the fastest device is measured first",
    [CX_ADMISSION_WHOLE_SHORT] = "too short to pay for a split",
    [CX_ADMISSION_WHOLE_OTHERS_SLOW] = "no other device would end it sooner",
};

static const char *const part_texts[CX_ADMISSION_PARTS] = {
    [CX_ADMISSION_WORKS] = "works",
    [CX_ADMISSION_PROBED] = "is measured with one small package",
    [CX_ADMISSION_LEFT_SLOW] = "left out: would delay the end or add next to nothing",
    [CX_ADMISSION_LEFT_UNKNOWN] = "left out: not measured yet",
    [CX_ADMISSION_LEFT_WHOLE] = "left out: the launch stays whole",
    [CX_ADMISSION_LEFT_DEAR] = "left out: costs more energy than it saves (COEXEC_OBJECTIVE)",
};

const char *cx_admission_reason_text(enum cx_admission_reason reason)
{
    return (unsigned)reason < CX_ADMISSION_REASONS ? reason_texts[reason] : "?";
}

const char *cx_admission_part_text(enum cx_admission_part part)
{
    return (unsigned)part < CX_ADMISSION_PARTS ? part_texts[part] : "?";
}

static bool is_measured(const struct cx_admission *launch, unsigned index)
{
    return cx_speed_record_speed(launch->devices[index].record) > 0;
}

static bool is_foreign(const struct cx_admission *launch, unsigned index, unsigned best)
{
    return launch->devices[index].device_class != launch->devices[best].device_class;
}

/* A device of another class is taken at the slowest of at least PROBES measurements at different places of
 * the range: where the cost varies, one place may make it look a thousand times faster than it is. */
static bool is_known(const struct cx_admission *launch, unsigned index, unsigned best)
{
    if (!is_foreign(launch, index, best))
        return is_measured(launch, index);
    return is_measured(launch, index) && launch->devices[index].record->samples >= CX_PROBES;
}

static void doubt_foreign(const struct cx_admission *launch, struct cx_admission_member *members,
                          unsigned best)
{
    for (unsigned i = 0; i < launch->ndevices; i++)
        if (is_foreign(launch, i, best) && is_measured(launch, i) && is_measured(launch, best))
            members[i].speed = fmin(members[i].speed, launch->devices[i].record->slowest);
}

static double nominal(const struct cx_admission *launch, unsigned index)
{
    double value = launch->devices[index].nominal_speed;
    return isfinite(value) && value > 0 ? value : 0;
}

static uint64_t count_units(const struct cx_admission *launch)
{
    uint64_t unit = launch->granularity ? launch->granularity : 1;
    return launch->groups / unit + (launch->groups % unit != 0);
}

/* Seconds of the whole launch's moves to a device: what decides between devices of one nominal speed. */
static double move_seconds(const struct cx_admission *launch, unsigned index)
{
    return cx_predict_package(&launch->devices[index], INFINITY, launch->groups);
}

static bool is_better(const struct cx_admission *launch, unsigned a, unsigned b)
{
    bool measured = is_measured(launch, a);
    if (measured != is_measured(launch, b))
        return measured;
    if (measured) {
        const struct cx_admission_device *da = &launch->devices[a], *db = &launch->devices[b];
        return cx_predict_package(da, cx_speed_record_speed(da->record), launch->groups) <
               cx_predict_package(db, cx_speed_record_speed(db->record), launch->groups);
    }
    if (nominal(launch, a) != nominal(launch, b))
        return nominal(launch, a) > nominal(launch, b);
    return move_seconds(launch, a) < move_seconds(launch, b);
}

unsigned cx_admission_best(const struct cx_admission *launch)
{
    unsigned best = 0;
    for (unsigned i = 1; i < launch->ndevices; i++) {
        if (is_better(launch, i, best))
            best = i;
    }
    return best;
}

/* Whether a device never measured may be taken at its nominal speed beside the best one. */
static bool is_peer(const struct cx_admission *launch, unsigned index, unsigned best)
{
    return launch->devices[index].device_class == launch->devices[best].device_class &&
           nominal(launch, index) >= peer_ratio * nominal(launch, best);
}

/* The fastest device not yet judged (its part is still LEFT_WHOLE) that may be a candidate; ndevices when
 * none. */
static unsigned next_candidate(const struct cx_admission *launch, const struct cx_admission_member *members)
{
    unsigned found = launch->ndevices;
    for (unsigned i = 0; i < launch->ndevices; i++) {
        if (members[i].takes_part || members[i].part != CX_ADMISSION_LEFT_WHOLE)
            continue;
        if (found == launch->ndevices || members[i].speed > members[found].speed)
            found = i;
    }
    return found;
}

static void admit(struct cx_admission_member *member)
{
    member->takes_part = true;
    member->part = CX_ADMISSION_WORKS;
}

/* Nothing is measured: those like the best start together when there is enough for each. */
static enum cx_admission_reason decide_unmeasured(const struct cx_admission *launch,
                                                  struct cx_admission_member *members, unsigned best)
{
    uint64_t taken = 1, units = count_units(launch);
    unsigned peers = 0, index;
    while ((index = next_candidate(launch, members)) < launch->ndevices) {
        members[index].part = CX_ADMISSION_LEFT_UNKNOWN;
        if (!is_peer(launch, index, best))
            continue;
        peers++;
        if ((taken + 1) * UNMEASURED_GROUPS > units)
            continue;
        admit(&members[index]);
        taken++;
    }
    if (taken > 1)
        return CX_ADMISSION_SPLIT_UNMEASURED;
    return peers > 0 ? CX_ADMISSION_WHOLE_FEW_GROUPS : CX_ADMISSION_WHOLE_UNMEASURED;
}

/* Whether one more device ends the launch sooner, by enough to be worth it. */
static bool pays(const struct cx_admission *launch, struct cx_admission_member *members, unsigned index,
                 unsigned best)
{
    const struct cx_admission_device *device = &launch->devices[index];
    double without = cx_predict_split(launch, members);
    uint64_t least = device->min_package ? device->min_package : device->fill ? device->fill : 1;
    least = least < launch->granularity ? launch->granularity : least;
    least = least < launch->groups ? least : launch->groups;
    if (cx_predict_package(device, members[index].speed, least) > without)
        return false;
    members[index].takes_part = true;
    double gain = without - cx_predict_split(launch, members);
    members[index].takes_part = false;
    bool slow = members[index].speed < slow_ratio * members[best].speed;
    return gain > 0 && (!slow || gain >= min_gain * without);
}

static double overhead(const struct cx_admission *launch, const struct cx_admission_member *members)
{
    double seconds = isfinite(launch->split_seconds) && launch->split_seconds > 0 ? launch->split_seconds : 0;
    for (unsigned i = 0; i < launch->ndevices; i++) {
        double each = launch->devices[i].launch_seconds;
        if (members[i].takes_part && isfinite(each) && each > 0)
            seconds += each;
    }
    return seconds;
}

static void keep_whole(const struct cx_admission *launch, struct cx_admission_member *members, unsigned best)
{
    for (unsigned i = 0; i < launch->ndevices; i++) {
        if (i != best && members[i].takes_part) {
            members[i].takes_part = false;
            members[i].part = CX_ADMISSION_LEFT_WHOLE;
        }
    }
}

/* The best device is measured: others join, fastest first, while each pays for itself. */
static enum cx_admission_reason decide_measured(const struct cx_admission *launch,
                                                struct cx_admission_member *members, unsigned best,
                                                double whole)
{
    uint64_t taken = 1, units = count_units(launch);
    unsigned index;
    while ((index = next_candidate(launch, members)) < launch->ndevices) {
        bool known = is_known(launch, index, best) || is_peer(launch, index, best);
        members[index].part = known ? CX_ADMISSION_LEFT_SLOW : CX_ADMISSION_LEFT_UNKNOWN;
        if (!known || taken == units || !pays(launch, members, index, best))
            continue;
        admit(&members[index]);
        taken++;
    }
    if (taken == 1)
        return CX_ADMISSION_WHOLE_OTHERS_SLOW;
    double gain = whole - cx_predict_split(launch, members);
    if (gain >= gain_margin * overhead(launch, members))
        return CX_ADMISSION_SPLIT;
    keep_whole(launch, members, best);
    return CX_ADMISSION_WHOLE_SHORT;
}

static enum cx_admission_reason decide(const struct cx_admission *launch, struct cx_admission_member *members,
                                       unsigned best, double whole)
{
    if (launch->ndevices == 1)
        return CX_ADMISSION_WHOLE_ONE_DEVICE;
    if (count_units(launch) < 2)
        return CX_ADMISSION_WHOLE_FEW_GROUPS;
    if (!is_measured(launch, best))
        return decide_unmeasured(launch, members, best);
    enum cx_admission_reason reason = decide_measured(launch, members, best, whole);
    cx_probe_count(launch, members, whole);
    if (cx_probe_choose(launch, members, best, whole, overhead(launch, members)) < launch->ndevices &&
        reason != CX_ADMISSION_SPLIT)
        return CX_ADMISSION_SPLIT_PROBE;
    return reason;
}

/* Fills in speeds and admits the best device. */
static struct cx_admission_decision begin(const struct cx_admission *launch, unsigned best,
                                          struct cx_admission_member *members)
{
    struct cx_admission_decision decision = {.best = best};
    for (unsigned i = 0; i < launch->ndevices; i++)
        members[i] = (struct cx_admission_member){.part = CX_ADMISSION_LEFT_WHOLE};
    cx_predict_speeds(launch, members);
    doubt_foreign(launch, members, best);
    admit(&members[best]);
    if (is_measured(launch, best))
        decision.whole_seconds =
            cx_predict_package(&launch->devices[best], members[best].speed, launch->groups);
    return decision;
}

static void end(const struct cx_admission *launch, const struct cx_admission_member *members,
                struct cx_admission_decision *decision)
{
    decision->split = decision->reason <= CX_ADMISSION_SPLIT_PROBE;
    if (decision->split && decision->whole_seconds > 0)
        decision->split_seconds = cx_predict_split(launch, members) + overhead(launch, members);
}

struct cx_admission_decision cx_admission_decide(const struct cx_admission *launch,
                                                 struct cx_admission_member *members)
{
    struct cx_admission_decision decision = begin(launch, cx_admission_best(launch), members);
    decision.reason = decide(launch, members, decision.best, decision.whole_seconds);
    end(launch, members, &decision);
    return decision;
}

struct cx_admission_decision cx_admission_imagine(const struct cx_admission *launch, unsigned best,
                                                  struct cx_admission_member *members)
{
    struct cx_admission_decision decision = begin(launch, best, members);
    decision.reason = CX_ADMISSION_WHOLE_FEW_GROUPS;
    if (launch->ndevices > 1 && count_units(launch) > 1)
        decision.reason = decision.whole_seconds > 0
                              ? decide_measured(launch, members, best, decision.whole_seconds)
                              : CX_ADMISSION_WHOLE_UNMEASURED;
    end(launch, members, &decision);
    return decision;
}
