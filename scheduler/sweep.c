/* SPDX-License-Identifier: MIT */
/*
 * The sweep behind Sigmoid's L and two k, the constants of other policies that their papers' texts do not
 * give, and docs/balancers.md: values over cost profiles and device sets, on simulated devices. Prints
 * Markdown tables. Usage: sweep [k|dials|policies], all of them when none is named; or sweep grid|repeated
 * [seed [draws]]: auto's first launches, or those from the fifth on, beside sigmoid's, each case the mean of
 * that many draws.
 */
#include "scheduler/grid.h"
#include "scheduler/sigmoid_programs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* One line of a table over all device sets: a policy with these parameters. */
static void print_row(const char *first, const char *policy, const struct cx_balancer_params *params)
{
    struct sum all = {0};
    printf("| %s |", first);
    for (unsigned p = 0; p < CX_SIM_PROFILES; p++) {
        struct sum sum = sum_profile(cx_policy_find(policy), params, p, 0, NSETS - 1);
        printf(" %.3f / %.1f |", efficiency(&sum), sum.packages / sum.count);
        add(&all, &sum);
    }
    printf(" %.4f | %.3f | %.1f |\n", efficiency(&all), all.balance / all.count, all.packages / all.count);
    fflush(stdout);
}

static void print_header(const char *first)
{
    printf("| %s |", first);
    for (unsigned p = 0; p < CX_SIM_PROFILES; p++)
        printf(" %s |", cx_sim_profile_name((enum cx_sim_profile)p));
}

/* ---- Sigmoid's L and both k at once, on the paper's own programs ---- */

/* Mean packages of each program. */
static bool sigmoid_packages(const struct cx_balancer_params *params, unsigned depth,
                             double packages[CX_SIGMOID_PROGRAMS])
{
    static struct cx_sim_load *programs[CX_SIGMOID_PROGRAMS][SEEDS];
    for (unsigned i = 0; i < CX_SIGMOID_PROGRAMS; i++) {
        const struct cx_sigmoid_program *program = &cx_sigmoid_programs[i];
        struct cx_sim_device devices[CX_SIGMOID_DEVICES];
        cx_sigmoid_machine(program, devices);
        packages[i] = 0;
        for (unsigned s = 0; s < SEEDS; s++) {
            if (!programs[i][s])
                programs[i][s] = cx_sim_load_create(program->profile, program->groups, s + 1);
            if (!programs[i][s])
                return false;
            struct cx_simulation sim = {.policy = cx_policy_find("sigmoid"),
                                        .params = params,
                                        .load = programs[i][s],
                                        .ndevices = CX_SIGMOID_DEVICES,
                                        .devices = devices,
                                        .depth = depth,
                                        .seed = s};
            packages[i] += (double)cx_simulate(&sim).packages / SEEDS;
        }
    }
    return true;
}

/* How far counts are from the printed ones: root mean square of the logarithm of their ratio. */
static double far_from_printed(const double packages[CX_SIGMOID_PROGRAMS], double *mean)
{
    double squares = 0;
    *mean = 0;
    for (unsigned i = 0; i < CX_SIGMOID_PROGRAMS; i++) {
        const double off = log(packages[i] / cx_sigmoid_programs[i].sigmoid);
        squares += off * off / CX_SIGMOID_PROGRAMS;
        *mean += packages[i] / CX_SIGMOID_PROGRAMS;
    }
    return sqrt(squares);
}

static bool print_k_row(double l, double regular, double irregular)
{
    struct cx_balancer_params params = cx_balancer_defaults, published;
    double packages[CX_SIGMOID_PROGRAMS], mean[2], far[2];
    params.sigmoid_l = l;
    params.sigmoid_k_regular = regular;
    params.sigmoid_k_irregular = irregular;
    published = params;
    published.sigmoid_published = 1;
    if (!sigmoid_packages(&published, 1, packages))
        return false;
    far[0] = far_from_printed(packages, &mean[0]);
    if (!sigmoid_packages(&params, 2, packages))
        return false;
    far[1] = far_from_printed(packages, &mean[1]);
    char first[128];
    snprintf(first, sizeof first, "%g | %g | %g | %.1f | %.2f | %.1f | %.2f", l, regular, irregular, mean[0],
             far[0], mean[1], far[1]);
    print_row(first, "sigmoid", &params);
    return true;
}

static bool print_k(void)
{
    static const double l[] = {1, 2}, regular[] = {0.4, 0.5, 0.75, 1, 2}, irregular[] = {0.2, 0.3, 0.5, 0.75};
    print_header("l | k regular | k irregular | as published | off | ours | off");
    printf(" all | balance | packages |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < sizeof(l) / sizeof(l[0]); i++)
        for (unsigned j = 0; j < sizeof(regular) / sizeof(regular[0]); j++)
            for (unsigned k = 0; k < sizeof(irregular) / sizeof(irregular[0]); k++)
                if (irregular[k] <= regular[j] && !print_k_row(l[i], regular[j], irregular[k]))
                    return false;
    return true;
}

/* ---- constants that the papers' texts do not give ---- */

struct dial {
    const char *policy, *name;
    size_t offset; /* in the parameters */
    double values[6];
};

#define DIAL(policy, name) policy, #name, offsetof(struct cx_balancer_params, name)
static const struct dial dials[] = {
    {DIAL("dynamic", dynamic_packages), {16, 32, 64, 128, 256, 512}},
    {DIAL("adaptive", adaptive_first), {0.0025, 0.005, 0.01, 0.02, 0.05, 0.1}},
    {DIAL("adaptive", adaptive_growth), {1, 1.5, 2, 3, 4}},
    {DIAL("adaptive", adaptive_probes), {1, 2, 3, 4, 5}},
    {DIAL("logfit", logfit_threshold), {0.0025, 0.005, 0.01, 0.02, 0.05, 0.1}},
    {DIAL("concord", concord_profile), {0.01, 0.02, 0.05, 0.1, 0.2}},
    {DIAL("concord", concord_settled), {0.01, 0.05, 0.1, 0.2, 0.5}},
    {DIAL("hdss", hdss_k), {1, 1.5, 2, 3, 4}},
};

static void print_dials(void)
{
    print_header("parameter | value");
    printf(" all | balance | packages |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (unsigned d = 0; d < sizeof(dials) / sizeof(dials[0]); d++) {
        for (unsigned v = 0; v < 6 && dials[d].values[v] > 0; v++) {
            struct cx_balancer_params params = cx_balancer_defaults;
            memcpy((char *)&params + dials[d].offset, &dials[d].values[v], sizeof(double));
            char first[64];
            snprintf(first, sizeof first, "%s | %g", dials[d].name, dials[d].values[v]);
            print_row(first, dials[d].policy, &params);
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

/* ---- auto beside sigmoid ---- */

/* Mean logarithm of the first launch's time over the ideal's, or of the repeated ones'. */
static double launch_time(const struct cx_grid_case *c, const char *policy, unsigned draws, bool repeated)
{
    double sum = 0;
    for (unsigned draw = 0; draw < draws; draw++) {
        const struct cx_grid_variant variant = {
            .policy = cx_policy_find(policy), .reexecutes = true, .draw = draw, .launches = repeated ? 0 : 1};
        const struct cx_grid_result result = cx_grid_run(c, &variant);
        sum += log((repeated ? result.settled : result.first) / result.ideal) / draws;
    }
    return sum;
}

static void print_grid(uint64_t seed, unsigned draws, bool repeated)
{
    double ours = 0, theirs = 0;
    unsigned n = cx_grid_count(), ahead = 0, far = 0;
    puts("| case | devices | profile | a launch | groups | auto | sigmoid |\n|---|---|---|---|---|---|---|");
    for (unsigned i = 0; i < n; i++) {
        const struct cx_grid_case c = cx_grid_case(i, seed);
        double a = launch_time(&c, "auto", draws, repeated), s = launch_time(&c, "sigmoid", draws, repeated);
        ours += a / n;
        theirs += s / n;
        ahead += a > s;
        if (!(a > s + 0.01))
            continue;
        far++;
        printf("| %u | %s | %s | %g us | %llu | %.3f | %.3f |\n", i, c.set, cx_sim_profile_name(c.profile),
               c.launch_seconds * 1e6, (unsigned long long)c.groups, exp(a), exp(s));
    }
    printf(
        "seed %llu, %u draws: auto %.4f, sigmoid %.4f, sigmoid ahead in %u of %u, by more than 1 %% in %u\n",
        (unsigned long long)seed, draws, exp(ours), exp(theirs), ahead, n, far);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    const bool repeated = strcmp(what, "repeated") == 0;
    if (repeated || strcmp(what, "grid") == 0) {
        unsigned long draws = argc > 3 ? strtoul(argv[3], NULL, 10) : 8;
        print_grid(argc > 2 ? strtoull(argv[2], NULL, 10) : 0,
                   draws > 0 && draws < 1000 ? (unsigned)draws : 8, repeated);
        return 0;
    }
    bool all = strcmp(what, "all") == 0;
    if (!create_loads()) {
        fprintf(stderr, "sweep: out of memory\n");
        destroy_loads();
        return 1;
    }
    if ((all || strcmp(what, "k") == 0) && !print_k())
        return 1;
    if (all || strcmp(what, "dials") == 0)
        print_dials();
    if (all || strcmp(what, "policies") == 0)
        print_policies();
    destroy_loads();
    return 0;
}
