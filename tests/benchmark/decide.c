/* SPDX-License-Identifier: MIT */
/*
 * Processor time of balancers: of deciding a package, and, of the balancer that learns, of making the plan of
 * a launch and of learning from it. No device: launches pass in virtual time. A package should be decided in
 * under 1 us for 16 devices.
 */
#include "scheduler/balancer.h"
#include "scheduler/memory.h"
#include "scheduler/ranges.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_DEVICES = 16, LAUNCHES = 60, GROUPS = 20000 };

static double thread_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct costs {
    double deciding, planning, learning, clock;
    unsigned long asked, packages;
};

struct run {
    struct cx_balancer *balancer;
    struct cx_ranges ranges;
    unsigned n;
    struct cx_range held[MOST_DEVICES];
    double ends[MOST_DEVICES];
    struct costs *costs;
};

/* Seconds of a package: groups cost more towards the end of the range, and a little more or less by chance.
 */
static double length_of(unsigned device, struct cx_range range, unsigned launch)
{
    double groups = (double)(range.end - range.first), at = (double)(range.first + range.end) / 2 / GROUPS;
    double chance = 0.02 * sin((double)(range.first + 131 * launch + 7 * device));
    return 10e-6 + groups * (0.5 + at) * (1 + chance) * 1e-6 * (1 + device % 4);
}

static void ask(struct run *run, unsigned device, double now, unsigned launch)
{
    if (run->held[device].end || !cx_balancer_remaining(run->balancer))
        return;
    double since = thread_seconds();
    uint64_t groups = cx_balancer_next(run->balancer, device, now);
    run->costs->deciding += thread_seconds() - since - run->costs->clock;
    run->costs->asked++;
    if (!groups)
        return;
    struct cx_range range = cx_ranges_take(&run->ranges, device, groups);
    if (range.end - range.first < groups)
        cx_balancer_give_back(run->balancer, device, groups - (range.end - range.first));
    if (range.end == range.first)
        return;
    cx_balancer_placed(run->balancer, device, range.first);
    run->held[device] = range;
    run->ends[device] = now + length_of(device, range, launch);
    run->costs->packages++;
}

static bool end_next(struct run *run, double *now)
{
    unsigned next = run->n;
    for (unsigned i = 0; i < run->n; i++)
        if (run->held[i].end && (next == run->n || run->ends[i] < run->ends[next]))
            next = i;
    if (next == run->n)
        return false;
    *now = run->ends[next];
    struct cx_range range = run->held[next];
    run->held[next] = (struct cx_range){0, 0};
    cx_balancer_done(run->balancer, next, range.end - range.first, length_of(next, range, 0), *now);
    return true;
}

static void one_launch(const char *algo, unsigned n, struct cx_memory *memory, unsigned launch,
                       struct costs *costs)
{
    struct cx_balancer_device devices[MOST_DEVICES];
    double weights[MOST_DEVICES], now = 0, since = thread_seconds();
    for (unsigned i = 0; i < n; i++)
        devices[i] = (struct cx_balancer_device){
            .nominal_speed = 1, .fill = 1, .launch_seconds = 10e-6, .slot = i, .accelerator = i % 2 == 0};
    const struct cx_problem problem = {.groups = GROUPS, .ndevices = n, .devices = devices, .memory = memory};
    struct run run = {.n = n, .costs = costs};
    run.balancer = cx_balancer_create(cx_policy_find(algo), &problem, NULL);
    cx_balancer_weights(run.balancer, weights);
    costs->planning += thread_seconds() - since - costs->clock;
    if (!cx_ranges_init(&run.ranges, n, weights, GROUPS, 1, (struct cx_range){0, 0}))
        exit(1);
    cx_balancer_watch(run.balancer, &run.ranges, 1);
    do {
        for (unsigned i = 0; i < n; i++)
            ask(&run, i, now, launch);
    } while (end_next(&run, &now));
    since = thread_seconds();
    cx_balancer_learn(run.balancer);
    costs->learning += thread_seconds() - since - costs->clock;
    cx_ranges_finish(&run.ranges);
    cx_balancer_destroy(run.balancer);
}

static double clock_seconds(void)
{
    const double since = thread_seconds();
    for (unsigned i = 0; i < 10000; i++)
        (void)thread_seconds();
    return (thread_seconds() - since) / 10001;
}

int main(void)
{
    static struct cx_memory memory;
    const unsigned counts[] = {2, 4, 16};
    const struct cx_policy *policy;
    double worst = 0, clock = clock_seconds();
    printf("%-10s %7s %12s %12s %12s %12s\n", "balancer", "devices", "a package us", "a plan us",
           "learning us", "packages");
    for (unsigned k = 0; (policy = cx_policy_get(k)); k++) {
        for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            struct costs costs = {.clock = clock};
            cx_memory_init(&memory);
            memory.cost_model.groups = GROUPS;
            const bool learns = strcmp(policy->name, "auto") == 0;
            for (unsigned launch = 0; launch < LAUNCHES; launch++)
                one_launch(policy->name, counts[c], learns ? &memory : NULL, launch, &costs);
            double each = costs.deciding / (double)costs.asked;
            worst = counts[c] == MOST_DEVICES ? fmax(worst, each) : worst;
            printf("%-10s %7u %12.3f %12.3f %12.3f %12.1f\n", policy->name, counts[c], each * 1e6,
                   costs.planning * 1e6 / LAUNCHES, costs.learning * 1e6 / LAUNCHES,
                   (double)costs.packages / LAUNCHES);
        }
    }
    printf("deciding a package for 16 devices: %.3f us at most, wanted 1 us: %s\n", worst * 1e6,
           worst < 1e-6 ? "met" : "not met");
    return 0;
}
