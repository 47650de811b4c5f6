/* SPDX-License-Identifier: MIT */
/*
 * Marrow: one package a device, as in static.c, by a distribution that is kept from launch to launch of a
 * kernel and size, and changed only when several of them were unbalanced. "Marrow: compound multi-kernel
 * OpenCL computations on multi-CPU/multi-GPU", section 3.2 (shares by profiles of past runs), 3.3 and 3.3.1
 * (marrow.h has the test and the search). The first distribution of a size is by speeds known beforehand, as
 * Static's: those that the knowledge base holds, or derives from other sizes (3.2.3, plan/recall.h), else
 * nominal ones; the user's powers above them.
 *
 * As there, accelerators are one side of the search and CPUs the other, and a side's devices share its part
 * by the speeds known beforehand, anew when a search begins; a side takes as long as its slowest device.
 * Ours: where all are of one type, each device is a side. A device joins with its part by speed beside the
 * others' and leaves its part to them in proportion; the test begins anew then. A run does not count where a
 * device failed, a time is not known, a device did more than its share, or the launch was planned by an older
 * distribution. What a failed device leaves is shared out by the speeds measured in the launch. A device
 * whose part falls short of a unit has no work; after 64 such runs it gets a unit, and after twice as many
 * the next time, if it was the last to end then.
 */
#include "scheduler/policy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert((int)CX_MARROW_SIDES == (int)CX_MEMORY_DEVICES, "one a slot");

enum { FIRST_WAIT = 64, LONGEST_WAIT = 4096 };
/* More groups than that part of the launch, shared out again, mean that its times tell nothing of the
 * distribution. */
static const double disturbing = 1.0 / 32;

struct marrow_device {
    double part;    /* of the work, beside the others' */
    uint64_t share; /* groups that it is still to get */
};

struct marrow {
    uint64_t distribution; /* cx_marrow.distribution that this launch goes by */
    bool known;            /* there was one */
    bool disturbed;        /* the launch tells nothing of it */
    struct marrow_device device[];
};

/* It is here to be measured, by a package of its own, and has no part. */
static bool on_probation(const struct cx_balancer *balancer, unsigned i)
{
    return balancer->devices[i].given.first_package > 0;
}

static unsigned slot_of(const struct cx_balancer *balancer, unsigned i)
{
    return balancer->devices[i].given.slot;
}

/* The distribution of such launches, or NULL. */
static const struct cx_marrow *kept_of(const struct cx_balancer *balancer)
{
    const struct cx_memory *memory = balancer->memory;
    return memory && memory->marrow.groups == balancer->groups ? &memory->marrow : NULL;
}

static double kept_part(const struct cx_marrow *kept, unsigned slot)
{
    return kept && slot < CX_MARROW_SIDES ? cx_number_clean(kept->part[slot]) : 0;
}

static void set_parts(struct cx_balancer *balancer)
{
    struct marrow *own = balancer->data;
    const struct cx_marrow *kept = kept_of(balancer);
    double parts = 0, speeds = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const double part = on_probation(balancer, i) ? 0 : kept_part(kept, slot_of(balancer, i));
        parts += part;
        speeds += part > 0 ? balancer->devices[i].start_speed : 0;
        own->device[i].part = part;
    }
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (!(own->device[i].part > 0) && !on_probation(balancer, i))
            own->device[i].part = balancer->devices[i].start_speed * (parts > 0 ? parts / speeds : 1);
    own->known = parts > 0;
    own->distribution = kept ? kept->distribution : 0;
}

static uint64_t units_of(const struct cx_balancer *balancer, uint64_t groups)
{
    return groups / balancer->granularity + (groups % balancer->granularity != 0);
}

/* In units of the granularity. */
static uint64_t share_of(const struct cx_balancer *balancer, unsigned i, double sum, uint64_t total,
                         uint64_t left)
{
    const struct cx_balancer_device *given = &balancer->devices[i].given;
    const struct marrow *own = balancer->data;
    if (on_probation(balancer, i)) {
        const uint64_t bound = units_of(balancer, given->first_package);
        return bound < left / 2 ? bound : left / 2;
    }
    /* The little nudge keeps a quotient that is whole on paper from being floored one too low. */
    const uint64_t share = cx_groups_clamp((double)total * (own->device[i].part / sum) * (1 + 1e-12), left);
    return share < units_of(balancer, given->min_package) ? 0 : share;
}

static unsigned largest_part(const struct cx_balancer *balancer)
{
    const struct marrow *own = balancer->data;
    unsigned largest = 0;
    for (unsigned i = 1; i < balancer->ndevices; i++)
        if (own->device[i].part > own->device[largest].part)
            largest = i;
    return largest;
}

static void marrow_init(struct cx_balancer *balancer)
{
    struct marrow *own = balancer->data;
    const uint64_t total = units_of(balancer, balancer->groups);
    uint64_t left = total, groups = balancer->groups;
    double sum = 0;
    set_parts(balancer);
    const unsigned largest = largest_part(balancer);
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += own->device[i].part;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const uint64_t units = i == largest ? 0 : share_of(balancer, i, sum, total, left);
        left -= units;
        own->device[i].share =
            units * balancer->granularity < groups ? units * balancer->granularity : groups;
        groups -= own->device[i].share;
    }
    own->device[largest].share = groups;
}

static void marrow_weigh(struct cx_balancer *balancer, double *weights)
{
    const struct marrow *own = balancer->data;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        weights[i] = (double)own->device[i].share;
}

/* Whether no device that is there has its share still to come. */
static bool all_have_theirs(const struct cx_balancer *balancer)
{
    const struct marrow *own = balancer->data;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        if (own->device[i].share > 0 && !device->failed && !device->given.absent)
            return false;
    }
    return true;
}

/* What a failed or absent device leaves, or was left over where ranges were shorter than shares. */
static void share_rest(struct cx_balancer *balancer, double now)
{
    struct marrow *own = balancer->data;
    uint64_t shares[CX_MARROW_SIDES];
    own->disturbed |= (double)balancer->remaining > disturbing * (double)balancer->groups;
    if (balancer->ndevices <= CX_MARROW_SIDES)
        cx_shares_plan(balancer, shares, now);
    for (unsigned i = 0; i < balancer->ndevices; i++)
        own->device[i].share = balancer->ndevices <= CX_MARROW_SIDES ? shares[i] : balancer->remaining;
}

static uint64_t marrow_next(struct cx_balancer *balancer, unsigned index, double now)
{
    struct marrow *own = balancer->data;
    const bool first = own->device[index].share > 0;
    if (!first && balancer->devices[index].nflight == 0 && all_have_theirs(balancer))
        share_rest(balancer, now);
    const uint64_t share = own->device[index].share;
    own->device[index].share = 0;
    return cx_package_decided(balancer, index, share < balancer->remaining ? share : balancer->remaining,
                              !first       ? CX_DECIDED_AFTER
                              : own->known ? CX_DECIDED_LEARNED
                                           : CX_DECIDED_SHARE);
}

/* ---- what a launch taught ---- */

/* The sides of the search in a launch. */
struct sides {
    unsigned n;
    unsigned char of[CX_MARROW_SIDES]; /* the device's side */
    double seconds[CX_MARROW_SIDES], part[CX_MARROW_SIDES];
    uint64_t busy, idle; /* slots, as bits, that had work, and that had none */
    unsigned slowest;    /* slot that ended last */
};

static bool has_work(const struct cx_balancer *balancer, unsigned i)
{
    return !on_probation(balancer, i) && balancer->devices[i].done > 0;
}

/* The side of each device with work. */
static void name_sides(const struct cx_balancer *balancer, struct sides *sides)
{
    bool types[2] = {false};
    for (unsigned i = 0; i < balancer->ndevices; i++)
        types[balancer->devices[i].given.accelerator] |= has_work(balancer, i);
    const bool both = types[0] && types[1];
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (has_work(balancer, i) && !both)
            sides->of[i] = (unsigned char)sides->n++;
        else
            sides->of[i] = balancer->devices[i].given.accelerator ? 0 : 1;
    }
    sides->n = both ? 2 : sides->n;
}

/* False: the launch tells nothing. */
static bool find_sides(const struct cx_balancer *balancer, struct sides *sides)
{
    const struct marrow *own = balancer->data;
    double longest = 0;
    memset(sides, 0, sizeof(*sides));
    if (balancer->ndevices > CX_MARROW_SIDES)
        return false;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (slot_of(balancer, i) >= CX_MARROW_SIDES ||
            (balancer->devices[i].failed && !on_probation(balancer, i)))
            return false;
    name_sides(balancer, sides);
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        const unsigned side = sides->of[i];
        const double seconds = cx_number_clean(device->measured_seconds);
        if (!has_work(balancer, i)) {
            sides->idle |= on_probation(balancer, i) ? 0 : UINT64_C(1) << slot_of(balancer, i);
            continue;
        }
        if (!(seconds > 0) || device->doubtful || device->measured_groups < device->done)
            return false;
        sides->busy |= UINT64_C(1) << slot_of(balancer, i);
        sides->seconds[side] = fmax(sides->seconds[side], seconds);
        sides->part[side] += own->device[i].part;
        sides->slowest = seconds > longest ? slot_of(balancer, i) : sides->slowest;
        longest = fmax(longest, seconds);
    }
    return true;
}

/* What each device of those slots needs to get a unit of work, beside others' parts of that sum. */
static double unit_part(const struct cx_balancer *balancer, uint64_t slots, double sum)
{
    double unit = (double)balancer->granularity, all = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (slots >> slot_of(balancer, i) & 1) {
            unit = fmax(unit, (double)balancer->devices[i].given.min_package);
            all++;
        }
    return 1.01 * sum * unit / fmax((double)balancer->groups - all * unit, unit);
}

/* Gives devices that had no work for long a unit (try: those; else takes it back). */
static void set_tried(struct cx_marrow *kept, const struct cx_balancer *balancer, uint64_t slots, double sum,
                      bool try)
{
    const double part = unit_part(balancer, slots, sum) / (try ? 1 : 2);
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (slots >> slot_of(balancer, i) & 1)
            kept->part[slot_of(balancer, i)] = part;
    kept->tried = try ? slots : 0;
    kept->idle = 0;
    kept->distribution++;
}

/* Whether that changed the distribution. */
static bool try_idle(struct cx_marrow *kept, const struct cx_balancer *balancer, const struct sides *sides,
                     double deviation, double sum)
{
    kept->wait = kept->wait ? kept->wait : FIRST_WAIT;
    if (kept->tried & sides->busy) {
        if (kept->tried >> sides->slowest & 1 && cx_marrow_unbalanced(kept, &balancer->params, deviation)) {
            kept->wait = kept->wait < LONGEST_WAIT ? 2 * kept->wait : kept->wait;
            set_tried(kept, balancer, kept->tried & sides->busy, sum, false);
            return true;
        }
        kept->wait = FIRST_WAIT;
        kept->tried = 0;
    }
    kept->idle = sides->idle ? kept->idle + 1 : 0;
    if (kept->idle < kept->wait)
        return false;
    set_tried(kept, balancer, sides->idle, sum, true);
    return true;
}

/* The distribution that the launch went by, where it was new; other devices than before take the test anew.
 */
static void keep_parts(struct cx_marrow *kept, const struct cx_balancer *balancer, const struct sides *sides)
{
    const struct marrow *own = balancer->data;
    if (kept->groups != balancer->groups) {
        memset(kept, 0, sizeof(*kept));
        kept->groups = balancer->groups;
    }
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (!on_probation(balancer, i))
            kept->part[slot_of(balancer, i)] = own->device[i].part;
    if (kept->members != sides->busy)
        cx_marrow_rest(kept);
    kept->members = sides->busy;
}

/* By what its side's devices share its part: as before, or by their speeds. */
static double weight_of(const struct cx_balancer *balancer, unsigned i, bool by_speed)
{
    const struct marrow *own = balancer->data;
    return by_speed ? balancer->devices[i].start_speed : own->device[i].part;
}

static double side_weight(const struct cx_balancer *balancer, const struct sides *sides, unsigned side,
                          bool by_speed)
{
    double weight = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        weight += sides->of[i] == side && has_work(balancer, i) ? weight_of(balancer, i, by_speed) : 0;
    return weight;
}

/* Each side's new part, of all that of `sum`, shared out among its devices. */
static void set_sides(struct cx_marrow *kept, const struct cx_balancer *balancer, const struct sides *sides,
                      double sum, bool by_speed)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const unsigned side = sides->of[i];
        if (has_work(balancer, i))
            kept->part[slot_of(balancer, i)] = sum * sides->part[side] * weight_of(balancer, i, by_speed) /
                                               side_weight(balancer, sides, side, by_speed);
    }
    kept->distribution++;
}

/* Makes the parts' sum 1; gives what it was, and the ratio of the sides' times. */
static double sum_sides(struct sides *sides, double *deviation)
{
    double sum = 0, best = INFINITY, worst = 0;
    for (unsigned s = 0; s < sides->n; s++) {
        sum += sides->part[s];
        best = fmin(best, sides->seconds[s]);
        worst = fmax(worst, sides->seconds[s]);
    }
    for (unsigned s = 0; s < sides->n; s++)
        sides->part[s] /= sum;
    *deviation = worst / best;
    return sum;
}

static void marrow_learn(const struct cx_balancer *balancer)
{
    const struct marrow *own = balancer->data;
    struct cx_marrow *kept = &balancer->memory->marrow;
    const uint64_t distribution = kept->groups == balancer->groups ? kept->distribution : 0;
    struct sides sides;
    double deviation;
    if (own->disturbed || own->distribution != distribution || !cx_balancer_finished(balancer) ||
        !find_sides(balancer, &sides))
        return;
    keep_parts(kept, balancer, &sides);
    const double sum = sum_sides(&sides, &deviation);
    const unsigned operations = kept->operations;
    if (sides.n == 0 || try_idle(kept, balancer, &sides, deviation, sum) || sides.n < 2)
        return;
    if (cx_marrow_run(kept, &balancer->params, sides.n, sides.seconds, sides.part))
        set_sides(kept, balancer, &sides, sum, kept->operations > operations);
}

const struct cx_policy cx_policy_marrow = {
    .name = "marrow",
    .help = "one package a device by shares that are kept, and searched anew once several launches were "
            "unbalanced",
    .plans_ends = true,
    .learns = true,
    .data_size = sizeof(struct marrow),
    .data_size_per_device = sizeof(struct marrow_device),
    .init = marrow_init,
    .next = marrow_next,
    .weigh = marrow_weigh,
    .learn = marrow_learn,
};
