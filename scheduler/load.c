/* SPDX-License-Identifier: MIT */
/*
 * Cost profiles of simulated launches.
 * Previous stage: simulate.h.
 */
#include "scheduler/simulate.h"
#include <math.h>
#include <stdlib.h>

double cx_sim_random(uint64_t *state)
{
    /* splitmix64: full period, no bad seeds. */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

const char *cx_sim_profile_name(enum cx_sim_profile profile)
{
    static const char *const names[CX_SIM_PROFILES] = {
        [CX_SIM_REGULAR] = "regular",     [CX_SIM_RAMP] = "ramp",           [CX_SIM_RANDOM] = "random",
        [CX_SIM_CLUSTERED] = "clustered", [CX_SIM_SYMMETRIC] = "symmetric",
    };
    return (unsigned)profile < CX_SIM_PROFILES ? names[profile] : "?";
}

enum { CLUSTERS = 8 };

/* Whether x, a place from 0 to 1, lies in one of the clusters; each covers 1 % of the launch. */
static bool in_cluster(const double *starts, double x)
{
    for (unsigned i = 0; i < CLUSTERS; i++) {
        if (x >= starts[i] && x < starts[i] + 0.01)
            return true;
    }
    return false;
}

static double cost(enum cx_sim_profile profile, double x, const double *clusters, uint64_t *random)
{
    switch (profile) {
    case CX_SIM_RAMP:
        return 0.1 + 1.8 * x;
    case CX_SIM_RANDOM:
        return -log(1 - cx_sim_random(random));
    case CX_SIM_CLUSTERED:
        return in_cluster(clusters, x) ? 20 : 1;
    case CX_SIM_SYMMETRIC:
        return 0.2 + exp(-30 * (x - 0.5) * (x - 0.5));
    case CX_SIM_REGULAR:
    case CX_SIM_PROFILES:
        break;
    }
    return 1;
}

struct cx_sim_load *cx_sim_load_create(enum cx_sim_profile profile, uint64_t groups, uint64_t seed)
{
    if (groups > SIZE_MAX / sizeof(double) - 64)
        return NULL;
    struct cx_sim_load *load = malloc(sizeof(*load) + (groups + 1) * sizeof(double));
    if (!load)
        return NULL;
    double clusters[CLUSTERS];
    for (unsigned i = 0; i < CLUSTERS; i++)
        clusters[i] = cx_sim_random(&seed);
    load->groups = groups;
    load->before[0] = 0;
    for (uint64_t i = 0; i < groups; i++) {
        double x = ((double)i + 0.5) / (double)groups;
        load->before[i + 1] = load->before[i] + cost(profile, x, clusters, &seed);
    }
    double scale = load->before[groups] > 0 ? (double)groups / load->before[groups] : 1;
    for (uint64_t i = 0; i <= groups; i++)
        load->before[i] *= scale;
    load->total = load->before[groups];
    return load;
}
