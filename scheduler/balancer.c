/* SPDX-License-Identifier: MIT */
/*
 * What holds for every policy: each group is assigned exactly once, no package is empty, packages are
 * multiples of the granularity save the last, and no device gets a package that would delay the end. Previous
 * stage: balancer.h. Next: speeds.c, limit.c and one file per policy.
 */
#include "scheduler/limit.h"
#include "scheduler/memory.h"
#include "scheduler/params.h"
#include <stdlib.h>

/* moves: part of what is told of them that earlier launches took. */
static struct cx_balancer_device clean_device(const struct cx_policy *policy,
                                              const struct cx_balancer_device *given, double moves)
{
    struct cx_balancer_device device = *given;
    device.nominal_speed = cx_number_clean(device.nominal_speed);
    device.measured_speed = cx_number_clean(device.measured_speed);
    device.power = cx_number_clean(device.power);
    device.launch_seconds = cx_number_clean(device.launch_seconds);
    device.fixed_seconds = policy->plans_transfers ? cx_number_clean(device.fixed_seconds) : 0;
    device.after_seconds = cx_lesser(cx_number_clean(device.after_seconds), device.fixed_seconds);
    device.fixed_seconds = device.after_seconds + moves * (device.fixed_seconds - device.after_seconds);
    device.transfer_seconds = policy->plans_transfers ? moves * cx_number_clean(device.transfer_seconds) : 0;
    device.measured_speed = cx_with_transfers(device.measured_speed, device.transfer_seconds);
    device.fill = device.fill ? device.fill : 1;
    return device;
}

/* Without room for it nothing is known or learned. */
static void remember(struct cx_balancer *balancer, struct cx_memory *memory)
{
    balancer->cost_model = memory ? malloc(sizeof(*balancer->cost_model)) : NULL;
    if (!balancer->cost_model)
        return;
    *balancer->cost_model = memory->cost_model;
    balancer->memory = memory;
    balancer->packages = malloc(CX_MEMORY_PACKAGES * sizeof(*balancer->packages));
}

static void add_device(const struct cx_balancer *balancer, struct cx_device_state *device,
                       const struct cx_balancer_device *given)
{
    const struct cx_balancer_device reported = clean_device(balancer->policy, given, 1);
    double moves = 0;
    if (balancer->cost_model && given->slot < CX_MEMORY_DEVICES)
        moves = balancer->cost_model->device[given->slot].moves;
    device->given = clean_device(balancer->policy, given, moves > 0 ? moves : 1);
    device->reported_fixed = reported.fixed_seconds - reported.after_seconds;
    device->reported_transfer = reported.transfer_seconds;
}

struct cx_balancer *cx_balancer_create(const struct cx_policy *policy, const struct cx_problem *problem,
                                       const struct cx_balancer_params *params)
{
    unsigned n = problem->ndevices;
    if (!policy || n == 0)
        return NULL;
    struct cx_balancer *balancer = calloc(1, sizeof(*balancer) + n * sizeof(balancer->devices[0]));
    if (!balancer)
        return NULL;
    balancer->data = calloc(1, policy->data_size + n * policy->data_size_per_device + 1);
    if (!balancer->data) {
        cx_balancer_destroy(balancer);
        return NULL;
    }
    balancer->policy = policy;
    balancer->params = params ? *params : cx_balancer_defaults;
    cx_params_clean(&balancer->params);
    balancer->groups = balancer->remaining = problem->groups;
    balancer->granularity = problem->granularity ? problem->granularity : 1;
    balancer->ndevices = balancer->nlive = n;
    if (problem->may_reexecute && policy->reexecute) /* without room for them there are none */
        balancer->parts = calloc(cx_reexecute_room(balancer), sizeof(*balancer->parts));
    remember(balancer, problem->memory);
    balancer->tuning = problem->tuning;
    for (unsigned i = 0; i < n; i++)
        add_device(balancer, &balancer->devices[i], &problem->devices[i]);
    cx_speeds_init(balancer);
    if (policy->init)
        policy->init(balancer);
    return balancer;
}

void cx_balancer_destroy(struct cx_balancer *balancer)
{
    if (!balancer)
        return;
    free(balancer->parts);
    free(balancer->packages);
    free(balancer->cost_model);
    free(balancer->data);
    free(balancer);
}

uint64_t cx_package_minimum(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_balancer_device *given = &balancer->devices[index].given;
    const uint64_t filling =
        balancer->policy->by_occupancy && given->resident ? given->resident : given->fill;
    uint64_t minimum = given->min_package ? given->min_package : filling;
    return minimum > balancer->granularity ? minimum : balancer->granularity;
}

uint64_t cx_package_decided(struct cx_balancer *balancer, unsigned index, uint64_t groups,
                            enum cx_decision decision)
{
    balancer->devices[index].decision = groups > 0 ? decision : CX_DECIDED_WAIT;
    return groups;
}

uint64_t cx_package_sized(struct cx_balancer *balancer, unsigned index, double groups,
                          enum cx_decision decision)
{
    uint64_t package = cx_groups_clamp(groups, balancer->remaining);
    uint64_t minimum = cx_package_minimum(balancer, index);
    bool fills = package < minimum;
    return cx_package_decided(balancer, index, fills ? minimum : package,
                              fills ? CX_DECIDED_FILLS : decision);
}

/* The multiple of the granularity nearest to want, at least one; everything where less than one would stay.
 */
static uint64_t round_package(const struct cx_balancer *balancer, uint64_t want)
{
    uint64_t unit = balancer->granularity, left = balancer->remaining;
    if (want >= left)
        return left;
    uint64_t below = want - want % unit;
    if (below == 0 || want - below >= unit - (want - below))
        below = left - below > unit ? below + unit : left;
    /* A static share is exact; a dynamic policy's next package would be this remnant alone. */
    if (!balancer->policy->is_static && left - below < unit)
        return left;
    return below;
}

/* What the rules over all policies leave of a package, and why. */
static uint64_t limit(const struct cx_balancer *balancer, struct cx_device_state *device, unsigned index,
                      uint64_t want, double now)
{
    uint64_t groups = cx_package_limit(balancer, index, want, now);
    if (groups == 0)
        device->decision = CX_DECIDED_LATE;
    else if (want == 0)
        device->decision = CX_DECIDED_LEAST;
    else if (groups < want && groups < balancer->remaining)
        device->decision = device->samples || device->trusted ? CX_DECIDED_CUT : CX_DECIDED_FIRST;
    else if (groups > want)
        device->decision = groups > cx_package_minimum(balancer, index) ? CX_DECIDED_WORTH : CX_DECIDED_FILLS;
    return groups;
}

/* They are counted as in flight on the device, which has room for them. */
static uint64_t assign(struct cx_balancer *balancer, unsigned index, uint64_t groups, double now)
{
    struct cx_device_state *device = &balancer->devices[index];
    const bool fresh = device->nflight == 0 || !device->given.overlaps;
    if (device->nflight == 0)
        device->busy_since = now;
    device->flight[device->nflight++] = (struct cx_flight){.groups = groups,
                                                           .first = CX_NOWHERE,
                                                           .fresh = fresh,
                                                           .cost = (double)groups,
                                                           .serial = balancer->serial++,
                                                           .issued = now,
                                                           .rate = device->rate};
    device->assigned += groups;
    balancer->remaining -= groups;
    return groups;
}

uint64_t cx_balancer_next(struct cx_balancer *balancer, unsigned index, double now)
{
    if (index >= balancer->ndevices || balancer->remaining == 0)
        return 0;
    struct cx_device_state *device = &balancer->devices[index];
    device->given.absent = false;
    if (device->failed || device->nflight == CX_PACKAGES_IN_FLIGHT)
        return 0;
    now = cx_number_clean(now);
    uint64_t want = balancer->policy->next(balancer, index, now);
    bool limited = !balancer->policy->is_static && !(balancer->policy->plans_ends && want > 0);
    if (limited && (want > 0 || cx_package_must(balancer, index, now)))
        want = limit(balancer, device, index, want, now);
    if (want == 0)
        return 0;
    if (device->decision >= CX_DECIDED_WAIT)
        device->decision = CX_DECIDED_LEAST;
    return assign(balancer, index, round_package(balancer, want), now);
}

uint64_t cx_balancer_rest(struct cx_balancer *balancer, unsigned index, double now)
{
    if (index >= balancer->ndevices || balancer->remaining == 0)
        return 0;
    struct cx_device_state *device = &balancer->devices[index];
    if (device->failed || device->nflight == CX_PACKAGES_IN_FLIGHT)
        return 0;
    device->given.absent = false;
    device->decision = CX_DECIDED_REST;
    return assign(balancer, index, balancer->remaining, cx_number_clean(now));
}

void cx_balancer_placed(struct cx_balancer *balancer, unsigned index, uint64_t first)
{
    if (index >= balancer->ndevices || balancer->devices[index].nflight == 0)
        return;
    struct cx_flight *newest = &balancer->devices[index].flight[balancer->devices[index].nflight - 1];
    newest->first = first;
    cx_flight_cost(balancer, newest);
}

void cx_flight_cost(const struct cx_balancer *balancer, struct cx_flight *package)
{
    package->cost = package->first == CX_NOWHERE ? (double)package->groups
                                                 : cx_cost_model_cost(balancer->cost_model, balancer->groups,
                                                                      package->first, package->groups);
}

static void drop_oldest(struct cx_device_state *device)
{
    device->nflight--;
    for (unsigned i = 0; i < device->nflight; i++)
        device->flight[i] = device->flight[i + 1];
}

double cx_balancer_ask_next(struct cx_balancer *balancer, unsigned index, double now)
{
    if (index >= balancer->ndevices || !balancer->policy->ask_next || balancer->remaining == 0)
        return 0;
    const struct cx_device_state *device = &balancer->devices[index];
    return device->failed || device->nflight == CX_PACKAGES_IN_FLIGHT
               ? 0
               : balancer->policy->ask_next(balancer, index, cx_number_clean(now));
}

void cx_balancer_give_back(struct cx_balancer *balancer, unsigned index, uint64_t groups)
{
    if (index >= balancer->ndevices || balancer->devices[index].nflight == 0)
        return;
    struct cx_device_state *device = &balancer->devices[index];
    struct cx_flight *newest = &device->flight[device->nflight - 1];
    if (newest->copy)
        return;
    groups = groups < newest->groups ? groups : newest->groups;
    newest->groups -= groups;
    if (newest->groups == 0)
        device->nflight--;
    else
        cx_flight_cost(balancer, newest);
    device->assigned -= groups;
    balancer->remaining += groups;
    if (balancer->policy->regained)
        balancer->policy->regained(balancer);
}

/* What a package taught about its device, and, if its place is known, about the groups there. */
static void note_package(struct cx_balancer *balancer, unsigned index, struct cx_flight package,
                         double seconds, double moves)
{
    struct cx_device_state *device = &balancer->devices[index];
    device->newest_done = package;
    device->newest_seconds = cx_number_clean(seconds);
    double launch = device->given.launch_seconds;
    double timed = cx_groups_timed(device, package.groups, package.fresh);
    double cost = package.cost * (timed / (double)package.groups);
    device->newest_expected = package.rate > 0 ? launch + cost / package.rate : 0;
    cx_speeds_update(balancer, index, package.groups, seconds, package.first_here);
    if (!balancer->packages || package.first_here || balancer->npackages == CX_MEMORY_PACKAGES ||
        package.first == CX_NOWHERE)
        return;
    balancer->packages[balancer->npackages++] =
        (struct cx_package_log){index, package.first,           package.groups, device->newest_seconds,
                                moves, device->newest_expected, package.fresh};
}

/* What moves took of the time since the device was free for its oldest package, beside working for so many
 * seconds: those told, or less. Gives those for its groups. */
static double note_moves(struct cx_device_state *device, uint64_t groups, double seconds, double now)
{
    const double fixed = device->packages == 0 ? device->reported_fixed : 0;
    const double each = (double)groups * device->reported_transfer, reported = fixed + each;
    const double moves = cx_lesser(cx_greater(now - device->busy_since - seconds, 0), reported);
    device->reported_moves += reported;
    device->moves_seconds += moves;
    return reported > 0 ? moves * (each / reported) : 0;
}

/* Cuts the package's first groups off, which are done; a re-execution of the rest may begin anew. */
static void keep_rest(const struct cx_balancer *balancer, struct cx_flight *package, uint64_t done)
{
    if (package->first != CX_NOWHERE)
        package->first += done;
    if (done > 0)
        package->handed = package->saved = 0;
    cx_flight_cost(balancer, package);
}

enum cx_done cx_balancer_done(struct cx_balancer *balancer, unsigned index, uint64_t groups, double seconds,
                              double now)
{
    if (index >= balancer->ndevices)
        return CX_DONE_DROPPED;
    struct cx_device_state *device = &balancer->devices[index];
    if ((device->failed && !device->retired) || device->nflight == 0)
        return CX_DONE_DROPPED;
    struct cx_flight package = device->flight[0];
    const double moves = seconds > 0 ? note_moves(device, groups, seconds, cx_number_clean(now)) : 0;
    seconds += moves;
    enum cx_done outcome = package.lost ? CX_DONE_DROPPED : CX_DONE_COUNTS;
    groups = groups < package.groups && !package.copy && !package.lost ? groups : package.groups;
    device->flight[0].groups -= groups;
    if (device->flight[0].groups == 0) {
        drop_oldest(device);
        device->packages++;
    } else {
        keep_rest(balancer, &device->flight[0], groups);
    }
    device->busy_since = cx_number_clean(now);
    if (package.groups != groups) {
        package.groups = groups;
        cx_flight_cost(balancer, &package);
    }
    if (package.copy)
        outcome = cx_reexecute_done(balancer, index, &package, cx_number_clean(now));
    else if (!package.lost) {
        device->done += groups;
        balancer->done_cost += package.cost;
    }
    if (package.handed && groups > 0 && !package.copy && !package.lost)
        cx_reexecute_void(balancer, package.serial);
    if (groups > 0 && !device->failed)
        note_package(balancer, index, package, seconds, moves);
    if (balancer->policy->done && groups > 0 && !device->failed)
        balancer->policy->done(balancer, index, cx_number_clean(now));
    return outcome;
}

void cx_balancer_first(struct cx_balancer *balancer, unsigned index)
{
    if (index < balancer->ndevices && balancer->devices[index].nflight > 0)
        balancer->devices[index].flight[0].first_here = true;
}

bool cx_balancer_sampled(const struct cx_balancer *balancer, unsigned index)
{
    return index < balancer->ndevices && balancer->devices[index].samples > 0;
}

bool cx_balancer_doubtful(const struct cx_balancer *balancer, unsigned index)
{
    return index < balancer->ndevices && balancer->devices[index].doubtful;
}

void cx_balancer_retire(struct cx_balancer *balancer, unsigned index)
{
    if (index >= balancer->ndevices || balancer->devices[index].failed)
        return;
    balancer->devices[index].failed = balancer->devices[index].retired = true;
    balancer->nlive--;
    cx_speeds_roles(balancer);
}

void cx_balancer_fail(struct cx_balancer *balancer, unsigned index, uint64_t groups_lost)
{
    if (index >= balancer->ndevices || (balancer->devices[index].failed && !balancer->devices[index].retired))
        return;
    struct cx_device_state *device = &balancer->devices[index];
    balancer->nlive -= !device->failed;
    device->retired = false;
    cx_reexecute_void_all(balancer);
    uint64_t lost = groups_lost < device->assigned ? groups_lost : device->assigned;
    device->failed = true;
    cx_speeds_roles(balancer);
    device->nflight = 0;
    device->assigned -= lost;
    device->done = device->assigned;
    device->speed = 0;
    balancer->remaining += lost;
    if (balancer->policy->regained)
        balancer->policy->regained(balancer);
}

void cx_balancer_watch(struct cx_balancer *balancer, const struct cx_ranges *ranges, uint64_t slice)
{
    balancer->ranges = ranges;
    balancer->slice = slice ? slice : 1;
}

void cx_balancer_weights(struct cx_balancer *balancer, double *weights)
{
    for (unsigned i = 0; i < balancer->ndevices; i++)
        weights[i] = balancer->devices[i].start_speed;
    if (balancer->policy->weigh)
        balancer->policy->weigh(balancer, weights);
}

enum cx_decision cx_balancer_decision(const struct cx_balancer *balancer, unsigned index)
{
    return index < balancer->ndevices ? balancer->devices[index].decision : CX_DECIDED_NOTHING;
}

const char *cx_decision_text(enum cx_decision decision)
{
    static const char *const texts[CX_DECISIONS] = {
        [CX_DECIDED_NOTHING] = "no reason given",
        [CX_DECIDED_SHARE] = "its share by speeds known before",
        [CX_DECIDED_EQUAL] = "one of equal packages",
        [CX_DECIDED_GUIDED] = "part of its share of the rest",
        [CX_DECIDED_CURVE] = "by its speed, smaller towards the end",
        [CX_DECIDED_BOUND] = "as long as the end may be uneven",
        [CX_DECIDED_PROBE] = "probe: measures the device",
        [CX_DECIDED_FITTED] = "as its throughput asks",
        [CX_DECIDED_MATCHED] = "as long as the accelerator's",
        [CX_DECIDED_AFTER] = "its share of the rest by measured speeds",
        [CX_DECIDED_FILLS] = "its smallest: fills it",
        [CX_DECIDED_WORTH] = "longer, to be worth its launch",
        [CX_DECIDED_CUT] = "shorter, to end with the others",
        [CX_DECIDED_FIRST] = "bounded: never measured",
        [CX_DECIDED_LEARNED] = "learned share",
        [CX_DECIDED_PART] = "part of its share",
        [CX_DECIDED_REST] = "all of its share",
        [CX_DECIDED_LEAST] = "its smallest: somebody has to go on",
        [CX_DECIDED_WAIT] = "waits for what it holds",
        [CX_DECIDED_LATE] = "left out: would end late",
        [CX_DECIDED_REEXECUTE] = "re-execution of a slower device's package",
    };
    return (unsigned)decision < CX_DECISIONS ? texts[decision] : "?";
}

void cx_balancer_learn(const struct cx_balancer *balancer)
{
    if (balancer->memory && balancer->policy->learn)
        balancer->policy->learn(balancer);
    else if (balancer->memory && balancer->packages)
        cx_memory_learn(balancer->memory, balancer);
    if (balancer->tuning && balancer->policy->keep)
        balancer->policy->keep(balancer, balancer->tuning);
}

bool cx_balancer_learns_much(const struct cx_balancer *balancer)
{
    const unsigned few = 3;
    return balancer->memory && (balancer->policy->learn || balancer->memory->cost_model.launches < few);
}

uint64_t cx_balancer_remaining(const struct cx_balancer *balancer)
{
    return balancer->remaining;
}

bool cx_balancer_finished(const struct cx_balancer *balancer)
{
    uint64_t done = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        done += balancer->devices[i].done;
    return done == balancer->groups;
}

bool cx_balancer_is_static(const struct cx_balancer *balancer)
{
    return balancer->policy->is_static;
}

void cx_balancer_measured(const struct cx_balancer *balancer, unsigned index, uint64_t *groups,
                          double *seconds)
{
    const struct cx_device_state *device = &balancer->devices[index];
    *groups = device->measured_groups;
    *seconds = cx_greater(device->measured_seconds - (double)*groups * cx_moves_a_group(device),
                          0.05 * device->measured_seconds);
    if (device->lost_seconds > 0 && device->nflight > 0 && device->flight[0].lost) { /* still at it */
        *groups += device->lost_groups;
        *seconds += device->lost_seconds;
    }
}
