/* SPDX-License-Identifier: MIT */
/*
 * The programs of the Sigmoid paper. See sigmoid_programs.h. What is not printed: a package fills a GPU with
 * one group a multiprocessor (13) here. At full occupancy a K20m holds 104 to 208 groups, but then NBody's
 * 400 groups could not make the 27 packages that are printed for it.
 */
#include "scheduler/sigmoid_programs.h"

#define MULTIPROCESSORS 13
#define CORES           12
/* GFLOP/s in single precision: a K20m's over those of two E5-2620 (6 cores, 2 GHz, 16 a cycle). */
#define NOMINAL (3520. / (2 * 6 * 2 * 16))

const struct cx_sigmoid_program cx_sigmoid_programs[CX_SIGMOID_PROGRAMS] = {
    {"Binomial", true, CX_SIM_REGULAR, 2048000 / 256, 7.28, 15, 445, 28},
    {"Gaussian", true, CX_SIM_REGULAR, 8000 * 8000 / 128, 13.77, 19, 105, 31},
    {"Mandelbrot", true, CX_SIM_REGULAR, 20480 * 20480 / 256, 5.88, 13, 25, 17},
    {"NBody", true, CX_SIM_REGULAR, 51200 / 128, 7.33, 15, 175, 27},
    {"Taylor", true, CX_SIM_REGULAR, 800 * 800 / 128, 2.06, 15, 51, 20},
    {"Aho", false, CX_SIM_RANDOM, 1536000 / 64, 8.20, 11, 828, 13},
    {"BM3D", false, CX_SIM_RANDOM, 800 * 800 / 64, 2.28, 13, 92, 28},
    {"RAP", false, CX_SIM_RAMP, 1024 * 1024 / 64, 4.26, 15, 79, 20},
    {"Ray1", false, CX_SIM_CLUSTERED, 12000 * 12000 / 64, 7.70, 14, 389, 40},
    {"Ray2", false, CX_SIM_SYMMETRIC, 12000 * 12000 / 64, 7.70, 13, 291, 32},
};

void cx_sigmoid_machine(const struct cx_sigmoid_program *program,
                        struct cx_sim_device devices[CX_SIGMOID_DEVICES])
{
    const double unit = (double)program->groups / (2 * program->gpu + 1);
    for (unsigned i = 0; i < CX_SIGMOID_DEVICES; i++) {
        const bool gpu = i < 2;
        devices[i] = (struct cx_sim_device){
            .known = {.nominal_speed = gpu ? NOMINAL : 1,
                      .fill = gpu ? MULTIPROCESSORS : CORES,
                      .launch_seconds = 2e-5,
                      .accelerator = gpu},
            .speed = unit * (gpu ? program->gpu : 1),
            .launch_seconds = 2e-5,
            .reply_seconds = 1e-4,
            .jitter = 0.02,
        };
    }
}
