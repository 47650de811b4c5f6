/* SPDX-License-Identifier: MIT */
/*
 * What a simulated launch consumes: devices' static powers for as long as it takes, their dynamic powers for
 * as long as they compute, by their packages (scheduler/energy.h, Equation 2).
 */
#ifndef CX_TOOLS_COEXEC_SIMULATE_ENERGY_H
#define CX_TOOLS_COEXEC_SIMULATE_ENERGY_H

#include "scheduler/energy.h"
#include "scheduler/simulate.h"

/* Zeroed: no package. */
struct cx_simulate_busy {
    double until[CX_ENERGY_MOST], seconds[CX_ENERGY_MOST]; /* by device */
};

/* Counts a package. One that nobody waited for keeps its device busy until the launch is over. */
void cx_simulate_busy_note(struct cx_simulate_busy *busy, const struct cx_sim_package *package);

/* Time, energy and EDP of the launch, which took so long. */
struct cx_energy_choice cx_simulate_energy(const struct cx_simulate_busy *busy,
                                           const struct cx_energy_device *devices, unsigned n,
                                           double seconds);

/* The Sigmoid paper's machine and programs: energy and EDP over one GPU alone. An exit status. */
int cx_simulate_edp(void);

#endif
