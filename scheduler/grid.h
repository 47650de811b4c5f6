/* SPDX-License-Identifier: MIT */
/*
 * The grid of simulated launches that balancers are judged on: 280 cases, from 2 to 16 devices, speeds from
 * 1:1 to 1:1000, five cost profiles, launches that cost from 1 us to 5 ms, nominal speeds that are right, off
 * or useless, inputs in place or to be brought. The same on every machine. Thread-safety: none needed;
 * nothing is shared between calls. Previous stage: simulate.h. Next: coexec simulate --grid.
 */
#ifndef CX_SCHEDULER_GRID_H
#define CX_SCHEDULER_GRID_H

#include "scheduler/simulate.h"

enum { CX_GRID_DEVICES = 16, CX_GRID_LAUNCHES = 12, CX_GRID_SETTLED = 5 };

enum cx_grid_nominal { CX_GRID_NOMINAL_RIGHT, CX_GRID_NOMINAL_OFF, CX_GRID_NOMINAL_EQUAL };

struct cx_grid_case {
    const char *set; /* of devices, by name */
    enum cx_sim_profile profile;
    double launch_seconds;
    uint64_t groups;
    double seconds; /* that all devices together compute */
    enum cx_grid_nominal nominal;
    bool transfers; /* a tenth of the computing time */
    bool curve;     /* throughput grows with the size of a package */
    unsigned ndevices;
    struct cx_sim_device devices[CX_GRID_DEVICES];
    uint64_t seed;
};

unsigned cx_grid_count(void);
/* Seed 0: the published grid. Others: as many cases of the same kinds, but other numbers of groups, lengths,
 * ratios, clusters and nominal speeds, to see whether what holds on the published ones holds beyond them.
 * Called by sweep.c and tools/coexec_simulate_grid.c. */
struct cx_grid_case cx_grid_case(unsigned index, uint64_t seed);

/* How a policy did: the first launch, when only nominal speeds are known, and the launches from
 * CX_GRID_SETTLED on, when speeds (all policies) and costs (those that learn) of the earlier ones are.
 * Called by sweep.c and tools/coexec_simulate_grid.c. */
struct cx_grid_result {
    bool complete;
    double ideal, alone;  /* cx_sim_ideal, cx_sim_alone */
    double ideal_balance; /* cx_sim_ideal_balance */
    double first, first_balance, first_packages;
    double settled, settled_balance, settled_packages; /* geometric means; packages: mean */
    double first_after, settled_after; /* of the launch's time, in the mean: cx_sim_result.after */
    double worst;                      /* longest of all launches */
};
struct cx_grid_variant {
    const struct cx_policy *policy;
    const struct cx_balancer_params *params; /* NULL: defaults */
    bool true_powers;                        /* as if the user had swept COEXEC_DEBUG=powers */
    bool reexecutes;
    unsigned draw;     /* of the jitter: the published figures are those of 0 */
    unsigned launches; /* that are run; 0: CX_GRID_LAUNCHES */
};
struct cx_grid_result cx_grid_run(const struct cx_grid_case *c, const struct cx_grid_variant *variant);

#endif
