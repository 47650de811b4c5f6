/* SPDX-License-Identifier: MIT */
/*
 * The grid's cases, and a policy's launches on one of them.
 * Previous stage: grid.h.
 */
#include "scheduler/grid.h"
#include "scheduler/admission.h"
#include "scheduler/memory.h"
#include "scheduler/tuning.h"
#include <math.h>
#include <stdlib.h>

/* Speeds fall from 1 to 1 / ratio in equal factors, save where the set says otherwise. */
struct set {
    const char *name;
    unsigned ndevices;
    double ratio;
    bool halves; /* half of the devices at 1, half at 1 / ratio */
};

static const struct set sets[] = {
    {"2 1:1", 2, 1, false},       {"2 1:4", 2, 4, false},           {"2 1:30", 2, 30, false},
    {"2 1:1000", 2, 1000, false}, {"3 7.28:7.28:1", 3, 7.28, true}, {"4 1:1", 4, 1, false},
    {"4 1:10", 4, 10, false},     {"4 1:100", 4, 100, true},        {"8 1:1", 8, 1, false},
    {"8 1:10", 8, 10, false},     {"8 1:1000", 8, 1000, false},     {"16 1:1", 16, 1, false},
    {"16 1:10", 16, 10, true},    {"16 1:1000", 16, 1000, false},
};
static const double launches[] = {1e-6, 2e-5, 4e-4, 5e-3};
static const uint64_t group_counts[] = {2048, 8192, 32768};
static const double lengths[] = {0.5, 2};

enum {
    NSETS = sizeof sets / sizeof sets[0],
    NLAUNCHES = sizeof launches / sizeof launches[0],
    NGROUPS = sizeof group_counts / sizeof group_counts[0],
    NLENGTHS = sizeof lengths / sizeof lengths[0]
};

unsigned cx_grid_count(void)
{
    return NSETS * CX_SIM_PROFILES * NLAUNCHES;
}

static double relative_speed(const struct set *set, double ratio, unsigned device)
{
    if (set->halves)
        return device < (set->ndevices + 1) / 2 ? 1 : 1 / ratio;
    return pow(ratio, -(double)device / (set->ndevices - 1));
}

static double reported_speed(enum cx_grid_nominal nominal, double speed, uint64_t *random)
{
    double off = exp((2 * cx_sim_random(random) - 1) * log(2));
    return nominal == CX_GRID_NOMINAL_EQUAL ? 1 : nominal == CX_GRID_NOMINAL_OFF ? speed * off : speed;
}

static unsigned choose(uint64_t *random, unsigned count)
{
    return (unsigned)(cx_sim_random(random) * count);
}

struct cx_grid_case cx_grid_case(unsigned index, uint64_t seed)
{
    const struct set *set = &sets[index % NSETS];
    unsigned rest = index / NSETS;
    uint64_t mixed = index + (seed << 32); /* the other choices are drawn */
    double ratio = set->ratio;
    struct cx_grid_case c = {.set = set->name,
                             .profile = (enum cx_sim_profile)(rest % CX_SIM_PROFILES),
                             .launch_seconds = launches[rest / CX_SIM_PROFILES],
                             .groups = group_counts[choose(&mixed, NGROUPS)],
                             .seconds = lengths[choose(&mixed, NLENGTHS)],
                             .nominal = (enum cx_grid_nominal)choose(&mixed, 3),
                             .transfers = choose(&mixed, 3) == 0,
                             .curve = choose(&mixed, 3) == 0,
                             .ndevices = set->ndevices,
                             .seed = index + 1 + 1000 * seed};
    if (seed > 0) { /* anything between */
        c.groups = (uint64_t)(2048 * pow(16, cx_sim_random(&mixed)));
        c.seconds = 0.5 * pow(4, cx_sim_random(&mixed));
        ratio = pow(ratio, 0.6 + 0.4 * cx_sim_random(&mixed));
    }
    uint64_t random = c.seed;
    double sum = 0;
    for (unsigned i = 0; i < set->ndevices; i++)
        sum += relative_speed(set, ratio, i);
    for (unsigned i = 0; i < set->ndevices; i++) {
        double relative = relative_speed(set, ratio, i),
               speed = relative / sum * (double)c.groups / c.seconds;
        uint64_t fill = relative > 0.5 && set->ratio > 1 ? 8 : 1;
        c.devices[i] = (struct cx_sim_device){
            .known = {.nominal_speed = reported_speed(c.nominal, relative, &random),
                      .fill = fill,
                      .launch_seconds = c.launch_seconds,
                      .accelerator = fill > 1},
            .speed = speed,
            .half = c.curve ? (double)fill : 0,
            .launch_seconds = c.launch_seconds,
            .in_seconds = c.transfers ? 0.06 / speed : 0,
            .out_seconds = c.transfers ? 0.04 / speed : 0,
            .reply_seconds = 30e-6,
            .jitter = 0.02,
        };
        c.devices[i].known.transfer_seconds = c.devices[i].in_seconds + c.devices[i].out_seconds;
    }
    return c;
}

/* ---- a policy on a case ---- */

static void take_speeds(struct cx_grid_case *c, const struct cx_speed_record *records)
{
    for (unsigned i = 0; i < c->ndevices; i++)
        c->devices[i].known.measured_speed = cx_speed_record_speed(&records[i]);
}

struct cx_grid_result cx_grid_run(const struct cx_grid_case *given, const struct cx_grid_variant *variant)
{
    struct cx_grid_case c = *given;
    struct cx_grid_result result = {0};
    struct cx_speed_record records[CX_GRID_DEVICES] = {{0}};
    struct cx_tuning tuning = {0};
    struct cx_sim_load *load = cx_sim_load_create(c.profile, c.groups, c.seed);
    struct cx_memory *memory = malloc(sizeof *memory);
    if (load && memory) {
        cx_memory_init(memory);
        result.complete = true;
        result.ideal = cx_sim_ideal(load, c.ndevices, c.devices);
        result.ideal_balance = cx_sim_ideal_balance(load, c.ndevices, c.devices);
        result.alone = cx_sim_alone(load, c.ndevices, c.devices);
    }
    for (unsigned i = 0; i < c.ndevices && variant->true_powers; i++)
        c.devices[i].known.power = c.devices[i].speed;
    unsigned settled = CX_GRID_LAUNCHES - CX_GRID_SETTLED + 1;
    unsigned count = variant->launches ? variant->launches : CX_GRID_LAUNCHES;
    for (unsigned launch = 1; launch <= count && result.complete; launch++) {
        struct cx_simulation sim = {.policy = variant->policy,
                                    .params = variant->params,
                                    .load = load,
                                    .ndevices = c.ndevices,
                                    .devices = c.devices,
                                    .partitions = true,
                                    .reexecutes = variant->reexecutes,
                                    .memory = memory,
                                    .tuning = &tuning,
                                    .records = records,
                                    .seed = c.seed * 1000 + launch + variant->draw * UINT64_C(1000003)};
        struct cx_sim_result one = cx_simulate(&sim);
        result.complete = one.complete;
        result.worst = fmax(result.worst, one.seconds);
        if (launch == 1) {
            result.first = one.seconds;
            result.first_balance = one.balance;
            result.first_packages = one.packages;
            result.first_after = one.after / one.seconds;
        }
        if (launch >= CX_GRID_SETTLED) {
            result.settled += log(one.seconds) / settled;
            result.settled_balance += log(fmax(one.balance, 1e-6)) / settled;
            result.settled_packages += (double)one.packages / settled;
            result.settled_after += one.after / one.seconds / settled;
        }
        take_speeds(&c, records);
    }
    result.settled = exp(result.settled);
    result.settled_balance = exp(result.settled_balance);
    free(memory);
    free(load);
    return result;
}
