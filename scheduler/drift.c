/* SPDX-License-Identifier: MIT */
/*
 * The cases of changing speeds, and a policy's launches on one of them. See drift.h.
 */
#include "scheduler/drift.h"
#include "scheduler/admission.h"
#include "scheduler/memory.h"
#include "scheduler/tuning.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name;
    unsigned ndevices, slow;
    double speed[CX_DRIFT_DEVICES];
} sets[] = {
    {"2 1:1", 2, 1, {1, 1}},
    {"2 4:1, the fast one", 2, 0, {4, 1}},
    {"2 4:1, the slow one", 2, 1, {4, 1}},
    {"3 7.28:7.28:1", 3, 0, {7.28, 7.28, 1}},
    {"4 1:1", 4, 2, {1, 1, 1, 1}},
};
static const double factors[] = {2, 4, 8}, places[] = {0, 0.3, 0.6}, launches[] = {1e-5, 1e-4},
                    lengths[] = {0.1, 1};
static const enum cx_sim_profile profiles[] = {CX_SIM_REGULAR, CX_SIM_RAMP};

enum {
    NSETS = sizeof sets / sizeof sets[0],
    NFACTORS = 3,
    NPLACES = 3,
    NLAUNCHES = 2,
    NLENGTHS = 2,
    NPROFILES = 2
};

unsigned cx_drift_count(void)
{
    return NSETS * NFACTORS * NPLACES * NLAUNCHES * NLENGTHS * NPROFILES;
}

struct cx_drift_case cx_drift_case(unsigned index)
{
    unsigned rest = index;
    const unsigned set = rest % NSETS, factor = (rest /= NSETS) % NFACTORS,
                   place = (rest /= NFACTORS) % NPLACES;
    const unsigned launch = (rest /= NPLACES) % NLAUNCHES, length = (rest /= NLAUNCHES) % NLENGTHS;
    struct cx_drift_case c = {.set = sets[set].name,
                              .profile = profiles[rest / NLENGTHS % NPROFILES],
                              .launch_seconds = launches[launch],
                              .seconds = lengths[length],
                              .factor = factors[factor],
                              .at = places[place],
                              .ndevices = sets[set].ndevices,
                              .slow = sets[set].slow,
                              .groups = 8192,
                              .seed = index + 1};
    double sum = 0;
    for (unsigned i = 0; i < c.ndevices; i++)
        sum += sets[set].speed[i];
    for (unsigned i = 0; i < c.ndevices; i++)
        c.devices[i] = (struct cx_sim_device){
            .known = {.nominal_speed = sets[set].speed[i], .fill = 1, .launch_seconds = c.launch_seconds},
            .speed = sets[set].speed[i] / sum * (double)c.groups / c.seconds,
            .launch_seconds = c.launch_seconds,
            .reply_seconds = 30e-6,
            .jitter = 0.02};
    return c;
}

/* The least time of a launch of that cost: all devices are busy to its end. */
static double least(const struct cx_drift_case *c, double cost)
{
    double low = 0, high = 2 * c->factor * c->seconds + 1;
    for (unsigned round = 0; round < 60; round++) {
        const double end = (low + high) / 2;
        double done = 0;
        for (unsigned i = 0; i < c->ndevices; i++) {
            const struct cx_sim_device *device = &c->devices[i];
            const double works = fmax(end - device->launch_seconds, 0), at = device->slows_at;
            const double slow = at > 0 ? fmax(works - at, 0) : 0;
            done += device->speed * (works - slow + (slow > 0 ? slow / device->slow_factor : 0));
        }
        *(done < cost ? &low : &high) = end;
    }
    return high;
}

static void run_launch(struct cx_drift_case *c, struct cx_simulation *sim, struct cx_drift_result *result,
                       unsigned launch)
{
    const unsigned slow = CX_DRIFT_SETTLES, back = slow + CX_DRIFT_SLOW;
    struct cx_sim_device *device = &c->devices[c->slow];
    device->slow_factor = c->factor;
    device->slows_at = launch < slow || launch >= back ? 0
                       : launch == slow                ? c->at * c->seconds + 1e-9
                                                       : 1e-9;
    sim->seed = c->seed * 1000 + launch;
    const struct cx_sim_result one = cx_simulate(sim);
    const double over = one.seconds / least(c, sim->load->total);
    result->complete &= one.complete;
    if (launch < slow) {
        result->steady = over;
        result->packages = one.packages;
    } else if (launch == slow) {
        result->first = over;
    } else if (launch < back) {
        result->after += over - 1;
    } else if (launch == back) {
        result->back_first = over;
    } else {
        result->back_after += over - 1;
    }
    for (unsigned i = 0; i < c->ndevices; i++)
        c->devices[i].known.measured_speed = cx_speed_record_speed(&sim->records[i]);
}

struct cx_drift_result cx_drift_run(const struct cx_drift_case *given, const struct cx_policy *policy,
                                    const struct cx_balancer_params *params, bool reexecutes)
{
    struct cx_drift_case c = *given;
    struct cx_drift_result result = {0};
    struct cx_speed_record records[CX_DRIFT_DEVICES] = {{0}};
    struct cx_tuning tuning = {0};
    struct cx_sim_load *load = cx_sim_load_create(c.profile, c.groups, c.seed);
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_simulation sim = {.policy = policy,
                                .params = params,
                                .load = load,
                                .ndevices = c.ndevices,
                                .devices = c.devices,
                                .partitions = true,
                                .reexecutes = reexecutes,
                                .memory = memory,
                                .tuning = &tuning,
                                .records = records};
    if (load && memory) {
        cx_memory_init(memory);
        result.complete = true;
    }
    for (unsigned i = 0; i < CX_DRIFT_SETTLES + CX_DRIFT_SLOW + CX_DRIFT_BACK && result.complete; i++)
        run_launch(&c, &sim, &result, i);
    free(memory);
    free(load);
    return result;
}
