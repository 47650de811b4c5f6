/* SPDX-License-Identifier: MIT */
/*
 * coexec bench --power: what the whole machine consumed while each process ran, over the papers' baseline,
 * which is the fastest device alone with the others idle.
 */
#include "layer/power/meter.h"
#include "tools/coexec.h"
#include "tools/coexec_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double period = 0.045; /* the papers' */

static struct cx_power_meter *meter; /* NULL: energy is not measured */
static struct cx_power_mark from;
static double last; /* when it was sampled */

int cx_bench_power_open(void)
{
    meter = cx_power_meter_create(NULL);
    if (!meter)
        return cx_tool_error("bench", "out of memory");
    for (unsigned i = 0; i < meter->sources.nnotes; i++)
        fprintf(stderr, "coexec bench: %s\n", meter->sources.note[i]);
    return meter->sources.n ? CX_EXIT_OK
                            : cx_tool_error("bench", "--power: nothing on this machine tells its power; see "
                                                     "`coexec help power`");
}

void cx_bench_power_close(void)
{
    cx_power_meter_destroy(meter);
    meter = NULL;
}

void cx_bench_power_begin(void)
{
    if (meter)
        cx_power_meter_mark(meter, &from);
}

void cx_bench_power_sample(void)
{
    const double now = meter ? meter->clock() : 0;
    if (!meter || now - last < period)
        return;
    last = now;
    cx_power_meter_sample(meter);
}

void cx_bench_power_end(struct cx_bench_result *result)
{
    static struct cx_power_mark to;
    result->joules = result->joules_error = 0;
    if (!meter)
        return;
    cx_power_meter_mark(meter, &to);
    for (unsigned i = 0; i < meter->sources.n; i++) {
        const struct cx_power_figure figure = cx_power_meter_between(meter, &from, &to, i);
        if (figure.lack != CX_POWER_KNOWN) { /* a sum without it would be none */
            result->joules = result->joules_error = 0;
            return;
        }
        result->joules += figure.joules;
        result->joules_error += figure.error;
        result->power_ms = 1e3 * figure.seconds;
    }
}

/* ---- tables ---- */

bool cx_bench_energy(const struct cx_bench_case *job, const struct cx_bench_row *row,
                     struct cx_bench_energy *energy)
{
    const struct cx_bench_row *bare = cx_bench_fastest_alone(job, row);
    energy->joules = cx_bench_joules(row);
    energy->edp = energy->joules * cx_bench_power_ms(row) / 1e3;
    const double alone = bare ? cx_bench_joules(bare) : 0;
    energy->over_alone = energy->edp_over_alone = 0;
    if (!(energy->joules > 0) || strcmp(row->algo, CX_BENCH_TOGETHER) == 0)
        return false;
    if (*row->algo && alone > 0) {
        energy->over_alone = energy->joules / alone;
        energy->edp_over_alone = energy->edp / (alone * cx_bench_power_ms(bare) / 1e3);
    }
    return true;
}

void cx_bench_print_energy(const struct cx_bench_case *job)
{
    bool headed = false;
    for (unsigned i = 0; i < job->nrows; i++) {
        const struct cx_bench_row *row = &job->row[i];
        struct cx_bench_energy energy;
        if (!cx_bench_energy(job, row, &energy))
            continue;
        if (!headed)
            printf("  %-14s %-9s  %12s  %9s  %12s  %9s  %9s\n", "energy", "", "J", "+- J", "J s", "of alone",
                   "J s of it");
        headed = true;
        printf("  %-14.14s %-9.30s  %12.1f  %9.1f  %12.1f", *row->algo ? row->set : "bare",
               *row->algo ? row->algo : row->set, energy.joules, cx_bench_joules_error(row), energy.edp);
        if (energy.over_alone > 0)
            printf("  %9.3f  %9.3f", energy.over_alone, energy.edp_over_alone);
        puts("");
    }
    fflush(stdout);
}

/* Geometric means of one way over all programs; the first one begins the table. */
static void print_mean(const struct cx_bench_case *jobs, size_t count, const struct cx_bench_row *way,
                       bool *headed)
{
    double energy_sum = 0, edp_sum = 0;
    unsigned n = 0;
    for (size_t j = 0; j < count; j++)
        for (unsigned i = 0; i < jobs[j].nrows; i++) {
            const struct cx_bench_row *row = &jobs[j].row[i];
            struct cx_bench_energy energy;
            if (strcmp(row->algo, way->algo) != 0 || strcmp(row->set, way->set) != 0 ||
                !cx_bench_energy(&jobs[j], row, &energy) || !(energy.over_alone > 0))
                continue;
            energy_sum += log(energy.over_alone);
            edp_sum += log(energy.edp_over_alone);
            n++;
        }
    if (n && !*headed)
        printf(
            "energy over the fastest device alone, with the others idle: geometric means\n  %-14s %-9s  %9s  "
            "%9s  programs\n",
            "devices", "balancer", "energy", "EDP");
    *headed |= n > 0;
    if (n)
        printf("  %-14.14s %-9.30s  %9.3f  %9.3f  (%u)\n", way->set, way->algo, exp(energy_sum / n),
               exp(edp_sum / n), n);
}

void cx_bench_print_energy_means(const struct cx_bench_case *jobs, size_t count)
{
    const struct cx_bench_case *first = NULL;
    for (size_t j = 0; j < count && !first; j++)
        first = cx_bench_is_measured(&jobs[j]) ? &jobs[j] : NULL;
    if (!meter || !first)
        return;
    bool headed = false;
    for (unsigned i = 0; i < first->nrows; i++)
        if (*first->row[i].algo)
            print_mean(jobs, count, &first->row[i], &headed);
}
