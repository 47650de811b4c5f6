/* SPDX-License-Identifier: MIT */
/*
 * Energy of simulated launches, and `coexec simulate --paper edp`. See coexec_simulate_energy.h.
 */
#include "tools/coexec_simulate_energy.h"
#include "tools/coexec.h"
#include "tools/coexec_simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void cx_simulate_busy_note(struct cx_simulate_busy *busy, const struct cx_sim_package *package)
{
    if (package->device >= CX_ENERGY_MOST)
        return;
    const double from = fmax(package->start, busy->until[package->device]);
    if (package->end <= from)
        return;
    busy->until[package->device] = package->end;
    busy->seconds[package->device] += package->end - from; /* infinite: to the end of the launch */
    if (!isfinite(package->end))
        busy->seconds[package->device] = INFINITY;
}

struct cx_energy_choice cx_simulate_energy(const struct cx_simulate_busy *busy,
                                           const struct cx_energy_device *devices, unsigned n, double seconds)
{
    struct cx_energy_choice choice = {.seconds = seconds};
    for (unsigned i = 0; i < n; i++) {
        choice.members |= busy->seconds[i] > 0 ? UINT64_C(1) << i : 0;
        choice.joules +=
            devices[i].static_watts * seconds + devices[i].dynamic_watts * fmin(busy->seconds[i], seconds);
    }
    choice.edp = choice.joules * seconds;
    return choice;
}

/* ---- the paper ---- */

enum { DEVICES = 3, SEEDS = 3, GROUPS = 16384 };

/* Table 1: how many times as fast a GPU is as the CPU. */
static const struct {
    const char *name;
    enum cx_sim_profile profile;
    double gpu;
} programs[] = {
    {"Binomial", CX_SIM_REGULAR, 7.28},     {"Gaussian", CX_SIM_REGULAR, 13.77},
    {"Mandelbrot", CX_SIM_SYMMETRIC, 5.88}, {"NBody", CX_SIM_REGULAR, 7.33},
    {"Taylor", CX_SIM_REGULAR, 2.06},       {"Aho", CX_SIM_RANDOM, 8.20},
    {"BM3", CX_SIM_RANDOM, 2.28},           {"RAP", CX_SIM_RAMP, 4.26},
    {"Ray1", CX_SIM_CLUSTERED, 7.70},       {"Ray2", CX_SIM_SYMMETRIC, 7.70},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* printed: geometric means, as parts of the baseline's energy and EDP; 0: not printed. */
static const struct {
    const char *name;
    double energy, edp;
} policies[] = {
    {"static", 0, 0}, {"adaptive", 0, 0}, {"hguided", 0.93, 0.48}, {"sigmoid", 0.91, 0.46}, {"auto", 0, 0}};
enum { POLICIES = sizeof policies / sizeof *policies };

/* Two Kepler K20m and two Xeon E5-2620, which are one device. The paper prints no watts: these are ours. */
static const double gpu_static = 45, gpu_dynamic = 100, cpu_static = 40, cpu_dynamic = 110;

static void make_machine(double gpu, struct cx_sim_device *devices, struct cx_energy_device *powers)
{
    for (unsigned i = 0; i < DEVICES; i++) {
        const bool is_gpu = i < DEVICES - 1;
        const double relative = is_gpu ? 1 : 1 / gpu, speed = relative * GROUPS / (2 + 1 / gpu);
        devices[i] = (struct cx_sim_device){.known = {.nominal_speed = relative,
                                                      .fill = is_gpu ? 16 : 1,
                                                      .launch_seconds = 2e-5,
                                                      .accelerator = is_gpu},
                                            .speed = speed,
                                            .launch_seconds = 2e-5,
                                            .reply_seconds = 1e-4,
                                            .jitter = 0.02};
        powers[i] = is_gpu ? (struct cx_energy_device){speed, gpu_static, gpu_dynamic}
                           : (struct cx_energy_device){speed, cpu_static, cpu_dynamic};
    }
}

static void note(void *data, const struct cx_sim_package *package)
{
    cx_simulate_busy_note(data, package);
}

/* One GPU alone, while the others idle and consume: the papers' baseline. */
static struct cx_energy_choice baseline(const struct cx_sim_load *load, const struct cx_sim_device *devices,
                                        const struct cx_energy_device *powers)
{
    const double seconds = cx_sim_alone(load, 1, devices);
    const struct cx_simulate_busy busy = {.seconds = {seconds}};
    return cx_simulate_energy(&busy, powers, DEVICES, seconds);
}

/* Energy and EDP over the baseline's, means over seeds. False: no memory. */
static bool figures_of(unsigned program, const char *policy, double *energy, double *edp)
{
    struct cx_sim_device devices[DEVICES];
    struct cx_energy_device powers[DEVICES];
    *energy = *edp = 0;
    make_machine(programs[program].gpu, devices, powers);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct cx_simulate_busy busy = {{0}, {0}};
        struct cx_sim_load *load = cx_sim_load_create(programs[program].profile, GROUPS, seed);
        if (!load)
            return false;
        const struct cx_simulation sim = {.policy = cx_policy_find(policy),
                                          .load = load,
                                          .ndevices = DEVICES,
                                          .devices = devices,
                                          .partitions = true,
                                          .reexecutes = true,
                                          .seed = seed,
                                          .note = note,
                                          .note_data = &busy};
        const double seconds = cx_simulate(&sim).seconds;
        const struct cx_energy_choice ours = cx_simulate_energy(&busy, powers, DEVICES, seconds),
                                      alone = baseline(load, devices, powers);
        *energy += ours.joules / alone.joules / SEEDS;
        *edp += ours.edp / alone.edp / SEEDS;
        free(load);
    }
    return true;
}

static void print_printed(void)
{
    fputs("| as printed |", stdout);
    for (unsigned p = 0; p < POLICIES; p++)
        if (policies[p].energy > 0)
            printf(" %.2f | %.2f |", policies[p].energy, policies[p].edp);
        else
            fputs(" | |", stdout);
    puts("");
}

int cx_simulate_edp(void)
{
    double energies[POLICIES] = {0}, edps[POLICIES] = {0}; /* logarithms */
    printf(
        "Sigmoid (JPDC 2021), figures 11 and 12: energy and energy-delay product over one GPU with the "
        "others idle;\ntwo GPUs of %g + %g W and a CPU of %g + %g W (static + dynamic), which the paper does "
        "not print\n\n| program (profile) |",
        gpu_static, gpu_dynamic, cpu_static, cpu_dynamic);
    for (unsigned p = 0; p < POLICIES; p++)
        printf(" %s energy | EDP |", policies[p].name);
    fputs("\n|---|", stdout);
    for (unsigned p = 0; p < POLICIES; p++)
        fputs("---|---|", stdout);
    puts("");
    for (unsigned k = 0; k < PROGRAMS; k++) {
        printf("| %s (%s) |", programs[k].name, cx_sim_profile_name(programs[k].profile));
        for (unsigned p = 0; p < POLICIES; p++) {
            double energy, edp;
            if (!figures_of(k, policies[p].name, &energy, &edp))
                return cx_tool_error("simulate", "out of memory");
            energies[p] += log(energy) / PROGRAMS;
            edps[p] += log(edp) / PROGRAMS;
            printf(" %.3f | %.3f |", energy, edp);
        }
        puts("");
    }
    fputs("| geometric mean |", stdout);
    for (unsigned p = 0; p < POLICIES; p++)
        printf(" %.3f | %.3f |", exp(energies[p]), exp(edps[p]));
    puts("");
    print_printed();
    return CX_EXIT_OK;
}
