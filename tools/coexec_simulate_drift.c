/* SPDX-License-Identifier: MIT */
/*
 * The part of `coexec simulate --grid` in which a device's speed changes (scheduler/drift.h).
 */
#include "scheduler/drift.h"
#include "tools/coexec.h"
#include "tools/coexec_simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NFACTORS = 3 };

/* Over the cases of one factor: sums, and the worst. */
struct drift_sum {
    double factor, steady, first, after, back_first, back_after, worst, packages;
    unsigned count;
};

static void add(struct drift_sum *sums, const struct cx_drift_case *c, const struct cx_drift_result *result)
{
    struct drift_sum *sum = sums;
    while (sum->count > 0 && sum->factor != c->factor && sum < sums + NFACTORS - 1)
        sum++;
    sum->factor = c->factor;
    sum->steady += log(result->steady);
    sum->first += log(result->first);
    sum->worst = fmax(sum->worst, result->first);
    sum->after += result->after;
    sum->back_first += log(result->back_first);
    sum->back_after += result->back_after;
    sum->packages += result->packages;
    sum->count++;
}

static void print_sum(const char *name, const struct drift_sum *sum)
{
    const double n = sum->count;
    printf("| %s | x%g | %.4f | %.3f | %.3f | %.3f | %.3f | %.3f | %.1f |\n", name, sum->factor,
           exp(sum->steady / n), exp(sum->first / n), sum->worst, sum->after / n, exp(sum->back_first / n),
           sum->back_after / n, sum->packages / n);
}

static int run(const char *name, const struct cx_algo *algo, bool reexecutes)
{
    struct drift_sum sums[NFACTORS] = {{0}};
    for (unsigned i = 0; i < cx_drift_count(); i++) {
        const struct cx_drift_case c = cx_drift_case(i);
        const struct cx_drift_result result = cx_drift_run(&c, algo->policy, &algo->params, reexecutes);
        if (!result.complete)
            return cx_tool_error("simulate", "%s: case %u never ends, or memory is short", name, i);
        add(sums, &c, &result);
    }
    for (unsigned i = 0; i < NFACTORS; i++)
        print_sum(name, &sums[i]);
    fflush(stdout);
    return CX_EXIT_OK;
}

int cx_simulate_drift(const struct cx_simulate_algos *algos)
{
    const struct cx_algos *best = cx_simulate_find(algos, "auto");
    int status = CX_EXIT_OK;
    puts("\n| a device gets slower | | steady | first launch | worst | the next 11, excess | first as before "
         "| the next "
         "11, excess | packages |\n|---|---|---|---|---|---|---|---|---|");
    for (unsigned i = 0; i < algos->count && status == CX_EXIT_OK; i++)
        status = run(algos->algo[i]->text, &algos->algo[i]->all, true);
    if (status == CX_EXIT_OK && best)
        status = run("auto, members in place", &best->all, false);
    return status;
}
