/* SPDX-License-Identifier: MIT */
/*
 * `coexec bench --weak`: weak scaling, as in "Sigmoid" (JPDC 2021, figure 14, after J. L. Gustafson,
 * "Reevaluating Amdahl's law", 1988): the work of a program grows with the speed of the devices, so that at
 * best its time stays what it is on the fastest one alone.
 *
 * A set whose maximum speedup is M = T_best sum(1 / T_i), by times alone at the preset's size N, runs the
 * size N M^(1 / p) of a program whose work grows as the p-th power of its size; rounded, that is w times the
 * work. Its scaled speedup is w T_best / T, its weak-scaling efficiency w T_best / (M T). n devices alike: M
 * = n.
 */
#include "tools/coexec_bench_weak.h"
#include "tools/coexec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes stay multiples of what divides the preset's, up to that. */
enum { MOST_UNIT = 64 };

/* How work grows with --size where iterations stay. */
static const struct {
    const char *executable;
    unsigned power;
} laws[] = {{"binomial", 1}, {"gaussian", 2}, {"nbody", 2},  {"taylor", 2},       {"mandelbrot", 2},
            {"rap", 1},      {"ray", 2},      {"krist", 1},  {"perlin", 2},       {"spmv", 1},
            {"filter", 2},   {"saxpy", 1},    {"vecadd", 1}, {"segmentation", 1}, {"matmul", 3},
            {"stencil", 2},  {"histogram", 1}};

static unsigned power_of(const struct cx_bench_program *program)
{
    for (unsigned i = 0; i < sizeof laws / sizeof *laws; i++)
        if (strcmp(laws[i].executable, program->executable) == 0)
            return laws[i].power;
    return 0;
}

unsigned long long cx_bench_weak_size(unsigned long long size, unsigned power, double maximum)
{
    unsigned long long unit = 1;
    while (unit < MOST_UNIT && size % (2 * unit) == 0)
        unit *= 2;
    const double units = round((double)size * pow(maximum, 1.0 / power) / (double)unit);
    return units >= 1 ? (unsigned long long)units * unit : unit;
}

/* The median over the runs of one way; 0: one failed. set NULL: bare on the device. */
static double measure(const struct cx_bench_weak *weak, const struct cx_bench_program *program,
                      const struct cx_bench_set *set, const char *algo, unsigned device,
                      unsigned long long *size)
{
    double ms[CX_BENCH_RUNS];
    for (unsigned i = 0; i < weak->runs; i++) {
        struct cx_bench_result result = {.ok = false};
        if (set)
            cx_bench_start_through(weak->start, program, set->devices, algo, &result);
        else
            cx_bench_start_bare(weak->start, program, &weak->start->machine->devices[device], &result);
        if (!result.ok) {
            fprintf(stderr, "coexec bench: %s on %s: %s\n", program->name,
                    set ? set->label : "a device alone", result.problem);
            return 0;
        }
        ms[i] = result.ms;
        *size = result.size;
    }
    return cx_median(ms, weak->runs);
}

/* Times alone of all devices of the sets. False: a run failed. */
static bool measure_alone(const struct cx_bench_weak *weak, const struct cx_bench_program *program,
                          double alone[CX_BENCH_DEVICES], unsigned long long *size)
{
    uint64_t devices = 0;
    bool ok = true;
    for (unsigned s = 0; s < weak->nsets; s++)
        devices |= weak->set[s].bits;
    for (unsigned d = 0; d < CX_BENCH_DEVICES && ok; d++)
        if (devices >> d & 1)
            ok = (alone[d] = measure(weak, program, NULL, NULL, d, size)) > 0;
    return ok && *size > 0;
}

static double maximum_of(const double alone[CX_BENCH_DEVICES], uint64_t devices, double best)
{
    double sum = 0;
    for (unsigned d = 0; d < CX_BENCH_DEVICES; d++)
        sum += devices >> d & 1 ? best / alone[d] : 0;
    return sum;
}

static double best_of(const double alone[CX_BENCH_DEVICES])
{
    double best = INFINITY;
    for (unsigned d = 0; d < CX_BENCH_DEVICES; d++)
        best = alone[d] > 0 ? fmin(best, alone[d]) : best;
    return best;
}

/* One set with all balancers. */
static bool run_set(struct cx_bench_weak *weak, const struct cx_bench_program *program, unsigned s,
                    unsigned long long size, double best, double maximum)
{
    const unsigned power = power_of(program);
    const unsigned long long grown = cx_bench_weak_size(size, power, maximum);
    const double work = pow((double)grown / (double)size, power);
    unsigned long long told = 0;
    char text[32];
    snprintf(text, sizeof text, "%llu", grown);
    for (unsigned a = 0; a < weak->nalgos; a++) {
        weak->start->size = text;
        const double ms = measure(weak, program, &weak->set[s], weak->algo[a], 0, &told);
        weak->start->size = NULL;
        if (!(ms > 0))
            return false;
        const double efficiency = work * best / (maximum * ms);
        printf("%-12s %-12s %-12s %12llu %8.3f %10.3f %8.3f %10.3f\n", program->name, weak->set[s].label,
               weak->algo[a], grown, work, ms, work * best / ms, efficiency);
        weak->sum[s][a] += log(efficiency);
    }
    return fflush(stdout) == 0;
}

static void print_head(void)
{
    printf("%-12s %-12s %-12s %12s %8s %10s %8s %10s\n", "program", "devices", "balancer", "size", "work",
           "ms", "speedup", "efficiency");
}

static bool run_program(struct cx_bench_weak *weak, const struct cx_bench_program *program)
{
    double alone[CX_BENCH_DEVICES] = {0};
    unsigned long long size = 0;
    if (!power_of(program)) {
        fprintf(stderr, "coexec bench: --weak leaves %s out: its work grows by no power of --size\n",
                program->name);
        return true;
    }
    if (!measure_alone(weak, program, alone, &size))
        return false;
    const double best = best_of(alone);
    printf("%-12s %-12s %-12s %12llu %8.3f %10.3f %8.3f %10.3f\n", program->name, "fastest", "bare", size,
           1.0, best, 1.0, 1.0);
    for (unsigned s = 0; s < weak->nsets; s++)
        if (!run_set(weak, program, s, size, best, maximum_of(alone, weak->set[s].bits, best)))
            return false;
    weak->programs++;
    return true;
}

static void print_means(const struct cx_bench_weak *weak)
{
    for (unsigned s = 0; s < weak->nsets && weak->programs > 1; s++)
        for (unsigned a = 0; a < weak->nalgos; a++)
            printf("%-12s %-12s %-12s %12s %8s %10s %8s %10.3f\n", "mean", weak->set[s].label, weak->algo[a],
                   "", "", "", "", exp(weak->sum[s][a] / weak->programs));
}

bool cx_bench_weak(struct cx_bench_weak *weak, const struct cx_bench_case *jobs, size_t count)
{
    bool ok = true;
    print_head();
    for (size_t j = 0; j < count; j++)
        ok &= run_program(weak, jobs[j].program);
    print_means(weak);
    return ok;
}
