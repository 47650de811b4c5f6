/* SPDX-License-Identifier: MIT */
/*
 * The sweep behind Sigmoid's two k and behind docs/balancers.md: every pair of values over cost profiles and
 * device sets, on simulated devices. Prints Markdown tables. Usage: sweep             the k table, then all
 * policies with their defaults
 */
#include "scheduler/simulate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Device sets: real speeds, and the nominal ones that the balancer is told. */
struct set {
    const char *name;
    unsigned ndevices;
    double speed[4], nominal[4];
    uint64_t fill[4];
};

static const struct set sets[] = {
    {"2 equal", 2, {1, 1}, {1, 1}, {1, 1}},
    {"4 equal", 4, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}},
    {"7.28:7.28:1", 3, {7.28, 7.28, 1}, {7.28, 7.28, 1}, {4, 4, 1}},
    {"2:1 told 1:1", 2, {2, 1}, {1, 1}, {1, 1}},
};

static const uint64_t group_counts[] = {512, 4096, 32768};
static const double whole_seconds[] = {0.02, 1};

enum { NSETS = sizeof(sets) / sizeof(sets[0]), NGROUPS = 3, NTIMES = 2, SEEDS = 3 };

/* Geometric mean of efficiency (ideal time over time), arithmetic means of the others. */
struct sum {
    double log_efficiency, balance, packages;
    unsigned count;
};

static struct cx_sim_load *loads[CX_SIM_PROFILES][NGROUPS][SEEDS];

static bool create_loads(void)
{
    for (unsigned p = 0; p < CX_SIM_PROFILES; p++) {
        for (unsigned g = 0; g < NGROUPS; g++) {
            for (unsigned s = 0; s < SEEDS; s++) {
                loads[p][g][s] = cx_sim_load_create((enum cx_sim_profile)p, group_counts[g], s + 1);
                if (!loads[p][g][s])
                    return false;
            }
        }
    }
    return true;
}

static void destroy_loads(void)
{
    for (unsigned p = 0; p < CX_SIM_PROFILES; p++) {
        for (unsigned g = 0; g < NGROUPS; g++) {
            for (unsigned s = 0; s < SEEDS; s++)
                free(loads[p][g][s]);
        }
    }
}

/* One launch: the whole on a device of speed 1 of the set would take `seconds`. */
static void add_launch(struct sum *sum, const struct cx_policy *policy,
                       const struct cx_balancer_params *params, const struct set *set,
                       const struct cx_sim_load *load, double seconds, uint64_t seed)
{
    struct cx_sim_device devices[4];
    for (unsigned i = 0; i < set->ndevices; i++) {
        devices[i] = (struct cx_sim_device){
            .known = {.nominal_speed = set->nominal[i], .fill = set->fill[i], .launch_seconds = 10e-6},
            .speed = set->speed[i] * (double)load->groups / seconds,
            .launch_seconds = 10e-6,
            .reply_seconds = 30e-6,
            .jitter = 0.02,
        };
    }
    struct cx_simulation sim = {.policy = policy,
                                .params = params,
                                .load = load,
                                .ndevices = set->ndevices,
                                .devices = devices,
                                .seed = seed};
    struct cx_sim_result result = cx_simulate(&sim);
    sum->log_efficiency += log(result.ideal / result.seconds);
    sum->balance += result.balance;
    sum->packages += result.packages;
    sum->count++;
}

static struct sum sum_profile(const struct cx_policy *policy, const struct cx_balancer_params *params,
                              unsigned profile, unsigned first_set, unsigned last_set)
{
    struct sum sum = {0};
    for (unsigned d = first_set; d <= last_set; d++) {
        for (unsigned g = 0; g < NGROUPS; g++) {
            for (unsigned t = 0; t < NTIMES; t++) {
                for (unsigned s = 0; s < SEEDS; s++)
                    add_launch(&sum, policy, params, &sets[d], loads[profile][g][s], whole_seconds[t], s);
            }
        }
    }
    return sum;
}

static double efficiency(const struct sum *sum)
{
    return exp(sum->log_efficiency / sum->count);
}

static void add(struct sum *sum, const struct sum *other)
{
    sum->log_efficiency += other->log_efficiency;
    sum->balance += other->balance;
    sum->packages += other->packages;
    sum->count += other->count;
}

static void print_row(double regular_k, double irregular_k)
{
    struct cx_balancer_params params = cx_balancer_defaults;
    params.sigmoid_k_regular = regular_k;
    params.sigmoid_k_irregular = irregular_k;
    struct sum all = {0};
    printf("| %.2f | %.2f |", regular_k, irregular_k);
    for (unsigned p = 0; p < CX_SIM_PROFILES; p++) {
        struct sum sum = sum_profile(cx_policy_find("sigmoid"), &params, p, 0, NSETS - 1);
        printf(" %.3f / %.1f |", efficiency(&sum), sum.packages / sum.count);
        add(&all, &sum);
    }
    printf(" %.4f | %.3f | %.1f |\n", efficiency(&all), all.balance / all.count, all.packages / all.count);
}

static void print_header(const char *first)
{
    printf("| %s |", first);
    for (unsigned p = 0; p < CX_SIM_PROFILES; p++)
        printf(" %s |", cx_sim_profile_name((enum cx_sim_profile)p));
}

static void print_k_table(void)
{
    static const double regular[] = {0.25, 0.5, 0.75, 1, 1.5, 2, 3},
                        irregular[] = {0.15, 0.25, 0.35, 0.5, 0.75, 1};
    print_header("k regular | k irregular");
    printf(" all | balance | packages |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < sizeof(regular) / sizeof(regular[0]); i++) {
        for (unsigned j = 0; j < sizeof(irregular) / sizeof(irregular[0]); j++) {
            if (irregular[j] <= regular[i])
                print_row(regular[i], irregular[j]);
        }
    }
}

static void print_policies(void)
{
    const struct cx_policy *policy;
    print_header("devices | policy");
    printf(" balance |\n|---|---|---|---|---|---|---|---|\n");
    for (unsigned d = 0; d < NSETS; d++) {
        for (unsigned i = 0; (policy = cx_policy_get(i)); i++) {
            struct sum all = {0};
            printf("| %s | %s |", sets[d].name, policy->name);
            for (unsigned p = 0; p < CX_SIM_PROFILES; p++) {
                struct sum sum = sum_profile(policy, NULL, p, d, d);
                printf(" %.3f / %.1f |", efficiency(&sum), sum.packages / sum.count);
                add(&all, &sum);
            }
            printf(" %.3f |\n", all.balance / all.count);
        }
    }
}

int main(void)
{
    if (!create_loads()) {
        fprintf(stderr, "sweep: out of memory\n");
        destroy_loads();
        return 1;
    }
    print_k_table();
    printf("\n");
    print_policies();
    destroy_loads();
    return 0;
}
