/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --paper P`: a paper's comparison on modelled devices of its published ratios, printed
 * figures beside ours, as a Markdown table. Programs are stood in for by cost profiles: shapes compare, times
 * do not.
 */
#include "tools/coexec_simulate.h"
#include "tools/coexec_simulate_energy.h"
#include "scheduler/simulate.h"
#include "tools/coexec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 5, SEEDS = 3 };

struct program {
    const char *name;
    enum cx_sim_profile profile;
    uint64_t groups;
    double cpu;                 /* speed of one CPU device, a GPU's is 1 */
    double half;                /* cost of a package at which a GPU reaches half of its throughput */
    const char *const *printed; /* one a policy, what the paper has */
};

struct paper {
    const char *name, *title, *figure;
    unsigned gpus, cpus;
    const char *const *policies;
    const struct program *programs;
    unsigned nprograms;
    bool packages; /* our figure: packages; else time over Static's with the best of 11 splits, or efficiency
                    */
    bool over_static;
};

static const char *const sigmoid_policies[] = {"static", "adaptive", "hguided", "sigmoid", "auto", NULL};
#define SIGMOID(name, profile, adaptive, hguided, sigmoid)                                                   \
    {                                                                                                        \
        name, profile, 16384, 1 / 7.28, 0, (const char *const[])                                             \
        {                                                                                                    \
            "3", adaptive, hguided, sigmoid, "", NULL                                                        \
        }                                                                                                    \
    }
static const struct program sigmoid_programs[] = {
    SIGMOID("Binomial", CX_SIM_REGULAR, "15", "445", "28"),
    SIGMOID("Gaussian", CX_SIM_REGULAR, "19", "105", "31"),
    SIGMOID("Mandelbrot", CX_SIM_SYMMETRIC, "13", "25", "17"),
    SIGMOID("NBody", CX_SIM_REGULAR, "15", "175", "27"),
    SIGMOID("Taylor", CX_SIM_REGULAR, "15", "51", "20"),
    SIGMOID("Aho", CX_SIM_RANDOM, "11", "828", "13"),
    SIGMOID("BM3", CX_SIM_RANDOM, "13", "92", "28"),
    SIGMOID("RAP", CX_SIM_RAMP, "15", "79", "20"),
    SIGMOID("Ray1", CX_SIM_CLUSTERED, "14", "389", "40"),
    SIGMOID("Ray2", CX_SIM_SYMMETRIC, "13", "291", "32"),
};

static const char *const ompss_policies[] = {"static", "dynamic", "hguided", "auto", NULL};
#define OMPSS(name, profile, speedup, best, second, third)                                                   \
    {                                                                                                        \
        name, profile, 4096, (speedup)-2, 0, (const char *const[])                                           \
        {                                                                                                    \
            best, second, third, "", NULL                                                                    \
        }                                                                                                    \
    }
static const struct program ompss_programs[] = {
    OMPSS("NBody", CX_SIM_REGULAR, 2.61, "best, > 0.85", "less", "less"),
    OMPSS("Krist", CX_SIM_REGULAR, 2.2, "best, > 0.85", "less", "less"),
    OMPSS("Binomial", CX_SIM_REGULAR, 2.03, "0.98", "less", "less"),
    OMPSS("Perlin", CX_SIM_REGULAR, 2.04, "0.98", "less", "less"),
    OMPSS("SpMV", CX_SIM_RANDOM, 2.05, "fails", "good", "best, > 0.85"),
    OMPSS("RAP", CX_SIM_RAMP, 2.16, "fails", "good", "best, > 0.85"),
};

/* One GPU and four cores of one chip; the GPU is about as fast as all four. */
static const char *const logfit_policies[] = {"concord", "hdss", "logfit", "auto", NULL};
#define LOGFIT(name, profile, groups, half, concord, hdss, logfit)                                           \
    {                                                                                                        \
        name, profile, groups, 0.25, half, (const char *const[])                                             \
        {                                                                                                    \
            concord, hdss, logfit, "", NULL                                                                  \
        }                                                                                                    \
    }
static const struct program logfit_programs[] = {
    LOGFIT("NBody", CX_SIM_REGULAR, 16384, 16, "1.08", "1.20", "1.049"),
    LOGFIT("Barnes Hut", CX_SIM_CLUSTERED, 16384, 16, "0.98", "0.99", "0.90"),
    LOGFIT("PEPC", CX_SIM_RAMP, 16384, 16, "0.93", "0.92", "0.83"),
    LOGFIT("CFD", CX_SIM_RANDOM, 4096, 256, "worse than LogFit", "worse than LogFit", ""),
    LOGFIT("SpMV", CX_SIM_RANDOM, 4096, 256, "worse than LogFit", "worse than LogFit", ""),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
static const struct paper papers[] = {
    {"sigmoid", "Sigmoid (JPDC 2021), Table 3: packages a launch; two GPUs and a CPU, 7.28 : 7.28 : 1",
     "packages", 2, 1, sigmoid_policies, sigmoid_programs, COUNT(sigmoid_programs), true, false},
    {"ompss",
     "OmpSs, Table I and figure 6: efficiency; two GPUs and a CPU by the maximum speedups of Table I",
     "efficiency", 2, 1, ompss_policies, ompss_programs, COUNT(ompss_programs), false, false},
    {"logfit", "LogFit, figure 2: time over Static with the best of 11 splits; a GPU and four cores", "time",
     1, 4, logfit_policies, logfit_programs, COUNT(logfit_programs), false, true},
};

static unsigned make_devices(const struct paper *paper, const struct program *program,
                             struct cx_sim_device *devices)
{
    double sum = paper->gpus + paper->cpus * program->cpu, unit = (double)program->groups / sum;
    unsigned n = paper->gpus + paper->cpus;
    for (unsigned i = 0; i < n; i++) {
        bool gpu = i < paper->gpus;
        double relative = gpu ? 1 : program->cpu;
        devices[i] = (struct cx_sim_device){
            .known = {.nominal_speed = relative,
                      .fill = gpu ? 16 : 1,
                      .launch_seconds = 2e-5,
                      .accelerator = gpu},
            .speed = relative * unit,
            .half = gpu ? program->half : 0,
            .launch_seconds = 2e-5,
            .reply_seconds = 1e-4,
            .jitter = 0.02,
        };
    }
    return n;
}

static struct cx_sim_result simulate(const char *policy, const struct cx_sim_load *load, unsigned n,
                                     struct cx_sim_device *devices, uint64_t seed)
{
    struct cx_simulation sim = {.policy = cx_policy_find(policy),
                                .load = load,
                                .ndevices = n,
                                .devices = devices,
                                .partitions = true,
                                .reexecutes = true,
                                .seed = seed};
    return cx_simulate(&sim);
}

/* Static with the accelerators' part 0 %, 10 %, ... 100 %: the best. */
static double best_static(const struct cx_sim_load *load, unsigned n, struct cx_sim_device *devices,
                          uint64_t seed)
{
    double best = INFINITY;
    for (unsigned split = 0; split <= 10; split++) {
        for (unsigned i = 0; i < n; i++)
            devices[i].known.power =
                1e-9 + (devices[i].known.accelerator ? 0.1 * split : 0.1 * (10 - split) / (n - 1));
        best = fmin(best, simulate("static", load, n, devices, seed).seconds);
    }
    for (unsigned i = 0; i < n; i++)
        devices[i].known.power = 0;
    return best;
}

static bool print_program(const struct paper *paper, const struct program *program)
{
    struct cx_sim_device devices[MAX_DEVICES];
    unsigned n = make_devices(paper, program, devices);
    printf("| %s (%s) |", program->name, cx_sim_profile_name(program->profile));
    for (unsigned p = 0; paper->policies[p]; p++) {
        double figure = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct cx_sim_load *load = cx_sim_load_create(program->profile, program->groups, seed);
            if (!load)
                return false;
            struct cx_sim_result result = simulate(paper->policies[p], load, n, devices, seed);
            figure += (paper->packages      ? result.packages
                       : paper->over_static ? result.seconds / best_static(load, n, devices, seed)
                                            : result.ideal / result.seconds) /
                      SEEDS;
            free(load);
        }
        printf(paper->packages ? " %s | %.0f |" : " %s | %.3f |", program->printed[p], figure);
    }
    puts("");
    return true;
}

int cx_simulate_paper(const char *name)
{
    if (strcmp(name, "edp") == 0)
        return cx_simulate_edp();
    if (strcmp(name, "marrow") == 0)
        return cx_simulate_marrow();
    for (unsigned i = 0; i < COUNT(papers); i++) {
        const struct paper *paper = &papers[i];
        if (strcmp(paper->name, name) != 0)
            continue;
        printf("%s\n\n| program (profile) |", paper->title);
        for (unsigned p = 0; paper->policies[p]; p++)
            printf(" %s printed | ours |", paper->policies[p]);
        fputs("\n|---|", stdout);
        for (unsigned p = 0; paper->policies[p]; p++)
            fputs("---|---|", stdout);
        puts("");
        for (unsigned k = 0; k < paper->nprograms; k++) {
            if (!print_program(paper, &paper->programs[k]))
                return cx_tool_error("simulate", "out of memory");
        }
        return CX_EXIT_OK;
    }
    return cx_usage_error("simulate", "no such paper: %s (sigmoid, ompss, logfit, marrow, edp)", name);
}
