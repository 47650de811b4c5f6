/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --paper sigmoid`: packages a launch as in Table 3 of the Sigmoid paper, with the sizes and
 * speeds of its Table 1, as a Markdown table: printed, as published and under our rules (scheduler/limit.c).
 */
#include "tools/coexec_simulate.h"
#include "scheduler/sigmoid_programs.h"
#include "tools/coexec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3, FIGURES = 7 };

/* A column: a policy, and whether it is to be as published. */
static const struct {
    const char *policy;
    bool published;
} figures[FIGURES] = {{"adaptive", true}, {"adaptive", false}, {"hguided", true}, {"hguided", false},
                      {"sigmoid", true},  {"sigmoid", false},  {"auto", false}};

/* Packages in the mean, added to *packages. */
static bool count(const struct cx_sigmoid_program *program, double packages[FIGURES])
{
    struct cx_sim_device devices[CX_SIGMOID_DEVICES];
    cx_sigmoid_machine(program, devices);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct cx_sim_load *load = cx_sim_load_create(program->profile, program->groups, seed);
        for (unsigned f = 0; f < FIGURES && load; f++)
            packages[f] += (double)cx_simulate_as(figures[f].policy, figures[f].published, load,
                                                  CX_SIGMOID_DEVICES, devices, seed, NULL, NULL)
                               .packages /
                           SEEDS;
        free(load);
        if (!load)
            return false;
    }
    return true;
}

static void print_row(const char *name, double adaptive, double guided, double sigmoid, int digits,
                      const double packages[FIGURES])
{
    const double printed[] = {adaptive, guided, sigmoid};
    printf("| %s | 3 |", name);
    for (unsigned f = 0; f < FIGURES; f++) {
        if (f % 2 == 0 && f / 2 < 3)
            printf(" %.*f |", digits, printed[f / 2]);
        printf(" %.*f |", digits, packages[f]);
    }
    puts("");
}

int cx_simulate_sigmoid(void)
{
    double mean[FIGURES] = {0};
    puts("Sigmoid (JPDC 2021), Table 3: packages a launch; sizes and speeds of its Table 1, two GPUs and a "
         "CPU\n\n| program (profile), groups, GPU : CPU | static | adaptive printed | as published | ours | "
         "hguided printed | as published | ours | sigmoid printed | as published | ours | auto |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned i = 0; i < CX_SIGMOID_PROGRAMS; i++) {
        const struct cx_sigmoid_program *program = &cx_sigmoid_programs[i];
        double packages[FIGURES] = {0};
        if (!count(program, packages))
            return cx_tool_error("simulate", "out of memory");
        for (unsigned f = 0; f < FIGURES; f++)
            mean[f] += packages[f] / CX_SIGMOID_PROGRAMS;
        char name[128];
        snprintf(name, sizeof name, "%s (%s), %llu, %g", program->name, cx_sim_profile_name(program->profile),
                 (unsigned long long)program->groups, program->gpu);
        print_row(name, program->adaptive, program->guided, program->sigmoid, 0, packages);
    }
    print_row("mean", 14.3, 248, 25.6, 1, mean);
    return CX_EXIT_OK;
}
