/* SPDX-License-Identifier: MIT */
/*
 * The ten programs of "Sigmoid" (JPDC 2021) on its machine, Batel, for the simulator: sizes and speeds of its
 * Table 1, packages of its Table 3. Costs along the range are ours, by what the paper says of each program.
 * Thread-safe. Called by sweep.c and tools/coexec_simulate_paper.c.
 */
#ifndef CX_SCHEDULER_SIGMOID_PROGRAMS_H
#define CX_SCHEDULER_SIGMOID_PROGRAMS_H

#include "scheduler/simulate.h"

enum { CX_SIGMOID_PROGRAMS = 10, CX_SIGMOID_DEVICES = 3 };

struct cx_sigmoid_program {
    const char *name;
    bool regular; /* as the paper classes it */
    enum cx_sim_profile profile;
    uint64_t groups;                    /* problem size over local work size */
    double gpu;                         /* speed of one GPU, the CPU's is 1 */
    unsigned adaptive, guided, sigmoid; /* packages of Adaptive, DefHG and Sigmoid */
};
extern const struct cx_sigmoid_program cx_sigmoid_programs[CX_SIGMOID_PROGRAMS];

/* Two K20m and the two Xeons as one device, told by their nominal GFLOP/s; the launch takes one second. */
void cx_sigmoid_machine(const struct cx_sigmoid_program *program,
                        struct cx_sim_device devices[CX_SIGMOID_DEVICES]);

#endif
