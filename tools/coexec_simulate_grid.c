/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --grid`: every balancer on the grid of modelled launches (scheduler/grid.h), beside what
 * cannot be beaten.
 */
#include "tools/coexec_simulate.h"
#include "scheduler/grid.h"
#include "tools/coexec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Over cases: sums of logarithms, of numbers, and worst ones. */
struct sum {
    double first, settled, first_balance, settled_balance, first_packages, settled_packages;
    double first_after, settled_after;
    double worst, worst_alone, ideal_balance;
    unsigned count;
};

static void add(struct sum *sum, const struct cx_grid_result *result)
{
    sum->first += log(result->first / result->ideal);
    sum->settled += log(result->settled / result->ideal);
    sum->first_balance += log(fmax(result->first_balance, 1e-6));
    sum->settled_balance += log(fmax(result->settled_balance, 1e-6));
    sum->ideal_balance += log(fmax(result->ideal_balance, 1e-6));
    sum->first_packages += result->first_packages;
    sum->settled_packages += result->settled_packages;
    sum->first_after += log1p(result->first_after);
    sum->settled_after += log1p(result->settled_after);
    sum->worst = fmax(sum->worst, result->first / result->ideal);
    sum->worst_alone = fmax(sum->worst_alone, result->worst / result->alone);
    sum->count++;
}

static void print_sum(const char *name, const struct sum *sum)
{
    double n = sum->count;
    printf("| %s | %.4f | %.4f | %.4f | %.4f | %.3f | %.3f | %.1f | %.1f | %.4f | %.4f |\n", name,
           exp(sum->first / n), exp(sum->settled / n), exp(sum->first_balance / n),
           exp(sum->settled_balance / n), sum->worst, sum->worst_alone, sum->first_packages / n,
           sum->settled_packages / n, expm1(sum->first_after / n), expm1(sum->settled_after / n));
    fflush(stdout);
}

static void print_header(const char *what)
{
    printf(
        "| %s | first | repeated | balance first | repeated | worst first | worst / alone | packages first | "
        "repeated | afterwards first | repeated |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        what);
}

static void print_case(const char *name, const struct cx_grid_case *c, const struct cx_grid_result *r,
                       enum cx_sim_format format, bool first)
{
    static const char *const nominal[] = {"right", "off", "equal"};
    unsigned long long groups = c->groups;
    double over = r->first / r->ideal, repeated = r->settled / r->ideal;
    if (format == CX_SIM_CSV) {
        printf("%s,%s,%s,%g,%llu,%g,%s,%d,%d,", cx_simulate_csv(name), c->set,
               cx_sim_profile_name(c->profile), c->launch_seconds, groups, c->seconds, nominal[c->nominal],
               c->transfers, c->curve);
        printf("%.6g,%.6g,%.4f,%.4f,%.4f,%.4f,%.0f,%.1f\n", r->ideal, r->alone, over, repeated,
               r->first_balance, r->settled_balance, r->first_packages, r->settled_packages);
        return;
    }
    printf(
        "%s  {\"algo\": \"%s\", \"devices\": \"%s\", \"profile\": \"%s\", \"launch\": %g, \"groups\": %llu, "
        "\"seconds\": %g, \"told\": \"%s\", \"transfers\": %d, \"curve\": %d, ",
        first ? "" : ",\n", name, c->set, cx_sim_profile_name(c->profile), c->launch_seconds, groups,
        c->seconds, nominal[c->nominal], c->transfers, c->curve);
    printf("\"ideal\": %.6g, \"alone\": %.6g, \"first\": %.4f, \"repeated\": %.4f, \"first_balance\": %.4f, "
           "\"repeated_balance\": %.4f, \"first_packages\": %.0f, \"repeated_packages\": %.1f}",
           r->ideal, r->alone, over, repeated, r->first_balance, r->settled_balance, r->first_packages,
           r->settled_packages);
}

/* The best of what a user could sweep, case by case: k, and powers as nominal speeds say or as they are. */
static struct cx_grid_result run_swept(const struct cx_grid_case *c, const struct cx_policy *policy)
{
    static const double k[] = {1, 1.5, 2, 3, 4};
    struct cx_grid_result best = {0};
    for (unsigned i = 0; i < 2 * sizeof k / sizeof k[0]; i++) {
        struct cx_balancer_params params = cx_balancer_defaults;
        params.hguided_k = k[i / 2];
        const struct cx_grid_variant variant = {.policy = policy, .params = &params, .true_powers = i % 2};
        struct cx_grid_result result = cx_grid_run(c, &variant);
        if (!best.complete || result.first < best.first) {
            double settled = best.complete && best.settled < result.settled ? best.settled : result.settled;
            best = result;
            best.settled = settled;
        } else {
            best.settled = fmin(best.settled, result.settled);
        }
    }
    return best;
}

enum kind { KIND_PLAIN, KIND_NO_REEXECUTION, KIND_SWEPT };

struct cut {
    const char *name;
    struct sum sums[32];
    char label[32][24];
    unsigned count;
};

static void add_to_cut(struct cut *cut, const char *label, const struct cx_grid_result *result)
{
    unsigned i = 0;
    while (i < cut->count && strcmp(cut->label[i], label) != 0)
        i++;
    if (i == 32)
        return;
    snprintf(cut->label[i], sizeof cut->label[i], "%s", label);
    cut->count += i == cut->count;
    add(&cut->sums[i], result);
}

/* One balancer over all cases. */
static int run_all(const char *name, const struct cx_algo *algo, enum kind kind, uint64_t seed,
                   enum cx_sim_format format, bool *first, struct cut *cuts)
{
    const struct cx_grid_variant variant = {
        .policy = algo->policy, .params = &algo->params, .reexecutes = kind == KIND_PLAIN};
    struct sum all = {0};
    for (unsigned i = 0; i < cx_grid_count(); i++) {
        const struct cx_grid_case c = cx_grid_case(i, seed);
        struct cx_grid_result result =
            kind == KIND_SWEPT ? run_swept(&c, algo->policy) : cx_grid_run(&c, &variant);
        if (!result.complete)
            return cx_tool_error("simulate", "%s: case %u never ends, or memory is short", name, i);
        if (format != CX_SIM_TABLE)
            print_case(name, &c, &result, format, *first);
        *first = false;
        add(&all, &result);
        if (!cuts)
            continue;
        char cost[24];
        snprintf(cost, sizeof cost, "%g us", c.launch_seconds * 1e6);
        add_to_cut(&cuts[0], cx_sim_profile_name(c.profile), &result);
        add_to_cut(&cuts[1], cost, &result);
        add_to_cut(&cuts[2], c.set, &result);
        add_to_cut(&cuts[3],
                   c.nominal == CX_GRID_NOMINAL_RIGHT ? "right"
                   : c.nominal == CX_GRID_NOMINAL_OFF ? "off by up to 2"
                                                      : "all equal",
                   &result);
    }
    if (format == CX_SIM_TABLE)
        print_sum(name, &all);
    if (format == CX_SIM_TABLE && cuts) {
        const struct sum ideal = {.first_balance = all.ideal_balance,
                                  .settled_balance = all.ideal_balance,
                                  .worst = 1,
                                  .count = all.count};
        print_sum("the ideal's plan", &ideal);
    }
    return CX_EXIT_OK;
}

int cx_simulate_grid(const struct cx_simulate_algos *algos, uint64_t seed, enum cx_sim_format format)
{
    static struct cut cuts[] = {{.name = "auto, by profile"},
                                {.name = "auto, by launch cost"},
                                {.name = "auto, by devices"},
                                {.name = "auto, by nominal speeds"}};
    const struct cx_algos *best = cx_simulate_find(algos, "auto"),
                          *hguided = cx_simulate_find(algos, "hguided");
    bool first = true;
    int status = CX_EXIT_OK;
    if (format == CX_SIM_TABLE)
        print_header("balancer");
    else if (format == CX_SIM_CSV)
        puts("algo,devices,profile,launch,groups,seconds,told,transfers,curve,ideal,alone,first,repeated,"
             "first_balance,repeated_balance,first_packages,repeated_packages");
    else
        puts("[");
    for (unsigned i = 0; i < algos->count && status == CX_EXIT_OK; i++) {
        const struct cx_algos *one = algos->algo[i];
        status = run_all(one->text, &one->all, KIND_PLAIN, seed, format, &first, one == best ? cuts : NULL);
    }
    if (status == CX_EXIT_OK && best)
        status =
            run_all("auto without re-execution", &best->all, KIND_NO_REEXECUTION, seed, format, &first, NULL);
    if (status == CX_EXIT_OK && hguided)
        status = run_all("hguided swept", &hguided->all, KIND_SWEPT, seed, format, &first, NULL);
    for (unsigned k = 0; k < 4 && format == CX_SIM_TABLE && best && status == CX_EXIT_OK; k++) {
        puts("");
        print_header(cuts[k].name);
        for (unsigned i = 0; i < cuts[k].count; i++)
            print_sum(cuts[k].label[i], &cuts[k].sums[i]);
    }
    if (format == CX_SIM_JSON)
        puts("\n]");
    if (format == CX_SIM_TABLE && status == CX_EXIT_OK)
        status = cx_simulate_drift(algos);
    return status;
}
