/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --paper P`: a paper's comparison on modelled devices of its published ratios, printed
 * figures beside ours, as a Markdown table. Programs are stood in for by cost profiles: shapes compare, times
 * do not.
 */
#include "tools/coexec_simulate.h"
#include "tools/coexec_simulate_energy.h"
#include "scheduler/admission.h"
#include "scheduler/simulate.h"
#include "scheduler/tuning.h"
#include "tools/coexec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 5, SEEDS = 3, STEPS = 8 };

struct program {
    const char *name;
    enum cx_sim_profile profile;
    uint64_t groups;
    double cpu;                 /* speed of one CPU device, a GPU's is 1 */
    double half;                /* cost of a package at which a GPU reaches half of its throughput */
    const char *const *printed; /* one a policy, what the paper has; NULL: nothing */
};

struct paper {
    const char *name, *title;
    unsigned gpus, cpus;
    const char *const *policies;
    const struct program *programs;
    unsigned nprograms;
    bool over_static; /* our figure: time over Static's with the best of 11 splits; else efficiency */
};

static const char *const ompss_policies[] = {"static", "dynamic", "hguided", "auto", NULL};
#define OMPSS(name, profile, speedup, best, second, third)                                                   \
    {                                                                                                        \
        name, profile, 4096, (speedup)-2, 0, (const char *const[])                                           \
        {                                                                                                    \
            best, second, third, NULL                                                                        \
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
            concord, hdss, logfit, NULL                                                                      \
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
    {"ompss",
     "OmpSs, Table I and figure 6: efficiency; two GPUs and a CPU by the maximum speedups of Table I", 2, 1,
     ompss_policies, ompss_programs, COUNT(ompss_programs), false},
    {"logfit",
     "LogFit, figure 2: time of eight steps over Static with the best of 11 splits; a GPU and four cores", 1,
     4, logfit_policies, logfit_programs, COUNT(logfit_programs), true},
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

struct cx_sim_result cx_simulate_as(const char *policy, bool published, const struct cx_sim_load *load,
                                    unsigned ndevices, const struct cx_sim_device *devices, uint64_t seed,
                                    struct cx_tuning *tuning, struct cx_speed_record *records)
{
    struct cx_balancer_params params = cx_balancer_defaults;
    struct cx_simulation sim = {.policy = cx_policy_find(policy),
                                .params = &params,
                                .load = load,
                                .ndevices = ndevices,
                                .devices = devices,
                                .depth = published ? 1 : 0,
                                .partitions = true,
                                .reexecutes = true,
                                .tuning = tuning,
                                .records = records,
                                .seed = seed};
    if (published && sim.policy->published > 0)
        *(double *)(void *)((char *)&params + sim.policy->published) = 1;
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
        best = fmin(best, cx_simulate_as("static", false, load, n, devices, seed, NULL, NULL).seconds);
    }
    for (unsigned i = 0; i < n; i++)
        devices[i].known.power = 0;
    return best;
}

static double efficiency(const char *policy, bool published, const struct cx_sim_load *load, unsigned n,
                         const struct cx_sim_device *devices, uint64_t seed)
{
    const struct cx_sim_result result = cx_simulate_as(policy, published, load, n, devices, seed, NULL, NULL);
    return result.ideal / result.seconds;
}

/* Launches as they follow each other in an application, over as many under Static with the best split: what
 * a policy remembers of one it has for the next. HDSS remembers nothing. */
static double time_steps(const char *policy, bool published, const struct cx_sim_load *load, unsigned n,
                         struct cx_sim_device *devices, uint64_t seed)
{
    struct cx_tuning tuning = {0};
    struct cx_speed_record records[MAX_DEVICES] = {{0}};
    double seconds = 0;
    const double whole = STEPS * best_static(load, n, devices, seed);
    for (unsigned step = 0; step < STEPS; step++) {
        seconds += cx_simulate_as(policy, published, load, n, devices, seed * STEPS + step, &tuning, records)
                       .seconds;
        for (unsigned i = 0; i < n && strcmp(policy, "hdss") != 0; i++)
            devices[i].known.measured_speed = cx_speed_record_speed(&records[i]);
    }
    for (unsigned i = 0; i < n; i++)
        devices[i].known.measured_speed = 0;
    return seconds / whole;
}

/* The paper's figure of one policy: the mean over seeds. False: no memory. */
static bool figure_of(const struct paper *paper, const struct program *program, const char *policy,
                      bool published, double *figure)
{
    struct cx_sim_device devices[MAX_DEVICES];
    const unsigned n = make_devices(paper, program, devices);
    *figure = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct cx_sim_load *load = cx_sim_load_create(program->profile, program->groups, seed);
        if (!load)
            return false;
        *figure += (paper->over_static ? time_steps(policy, published, load, n, devices, seed)
                                       : efficiency(policy, published, load, n, devices, seed)) /
                   SEEDS;
        free(load);
    }
    return true;
}

static bool has_published(const char *policy)
{
    return cx_policy_find(policy)->published > 0;
}

static bool print_program(const struct paper *paper, const struct program *program)
{
    printf("| %s (%s) |", program->name, cx_sim_profile_name(program->profile));
    for (unsigned p = 0; paper->policies[p]; p++) {
        const char *policy = paper->policies[p];
        double published, ours;
        if (!figure_of(paper, program, policy, true, &published) ||
            !figure_of(paper, program, policy, false, &ours))
            return false;
        if (program->printed[p])
            printf(" %s |", program->printed[p]);
        if (has_published(policy))
            printf(" %.3f |", published);
        printf(" %.3f |", ours);
    }
    puts("");
    return true;
}

static void print_header(const struct paper *paper)
{
    unsigned columns = 1;
    printf("%s\n\n| program (profile) |", paper->title);
    for (unsigned p = 0; paper->policies[p]; p++) {
        const char *policy = paper->policies[p];
        if (paper->programs->printed[p])
            printf(" %s printed |%s ours |", policy, has_published(policy) ? " as published |" : "");
        else
            printf(" %s |", policy);
        columns += 1 + (paper->programs->printed[p] ? 1 : 0) + has_published(policy);
    }
    printf("\n|");
    while (columns--)
        printf("---|");
    puts("");
}

int cx_simulate_paper(const char *name)
{
    if (strcmp(name, "edp") == 0)
        return cx_simulate_edp();
    if (strcmp(name, "marrow") == 0)
        return cx_simulate_marrow();
    if (strcmp(name, "sigmoid") == 0)
        return cx_simulate_sigmoid();
    for (unsigned i = 0; i < COUNT(papers); i++) {
        const struct paper *paper = &papers[i];
        if (strcmp(paper->name, name) != 0)
            continue;
        print_header(paper);
        for (unsigned k = 0; k < paper->nprograms; k++) {
            if (!print_program(paper, &paper->programs[k]))
                return cx_tool_error("simulate", "out of memory");
        }
        return CX_EXIT_OK;
    }
    return cx_usage_error("simulate", "no such paper: %s (sigmoid, ompss, logfit, marrow, edp)", name);
}
