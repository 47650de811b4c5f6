/* SPDX-License-Identifier: MIT */
/*
 * The tables of `coexec bench`: one block a program, then for each paper and for all the geometric means.
 */
#include "tools/coexec.h"
#include "tools/coexec_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double field_ms(const struct cx_bench_result *result)
{
    return result->ms;
}

static double field_first_ms(const struct cx_bench_result *result)
{
    return result->first_ms;
}

static double field_process_ms(const struct cx_bench_result *result)
{
    return result->process_ms;
}

static double field_joules(const struct cx_bench_result *result)
{
    return result->joules;
}

static double field_joules_error(const struct cx_bench_result *result)
{
    return result->joules_error;
}

static double field_power_ms(const struct cx_bench_result *result)
{
    return result->power_ms;
}

/* Over the runs that went well and have it; 0: none did. */
static double median(const struct cx_bench_row *row, double (*field)(const struct cx_bench_result *))
{
    double ms[CX_BENCH_RUNS];
    unsigned n = 0;
    for (unsigned i = 0; i < row->runs; i++)
        if (row->result[i].ok && field(&row->result[i]) > 0)
            ms[n++] = field(&row->result[i]);
    return cx_median(ms, n);
}

const char *const cx_bench_time_names[CX_BENCH_TIMES] = {
    [CX_BENCH_LATER] = "later runs",
    [CX_BENCH_FIRST] = "first run",
    [CX_BENCH_PROCESS] = "process",
    [CX_BENCH_COLD_FIRST] = "cold: first run",
    [CX_BENCH_COLD_PROCESS] = "cold: process",
};
const char *const cx_bench_time_keys[CX_BENCH_TIMES] = {
    [CX_BENCH_LATER] = "ms",
    [CX_BENCH_FIRST] = "first_ms",
    [CX_BENCH_PROCESS] = "process_ms",
    [CX_BENCH_COLD_FIRST] = "cold_first_ms",
    [CX_BENCH_COLD_PROCESS] = "cold_process_ms",
};

double cx_bench_time_ms(const struct cx_bench_row *row, enum cx_bench_time what)
{
    switch (what) {
    case CX_BENCH_LATER:
        return median(row, field_ms);
    case CX_BENCH_FIRST:
        return median(row, field_first_ms);
    case CX_BENCH_PROCESS:
        return median(row, field_process_ms);
    case CX_BENCH_COLD_FIRST:
        return row->has_cold && row->cold.ok ? row->cold.first_ms : 0;
    case CX_BENCH_COLD_PROCESS:
        return row->has_cold && row->cold.ok ? row->cold.process_ms : 0;
    default:
        return 0;
    }
}

double cx_bench_joules(const struct cx_bench_row *row)
{
    return median(row, field_joules);
}

double cx_bench_joules_error(const struct cx_bench_row *row)
{
    return median(row, field_joules_error);
}

double cx_bench_power_ms(const struct cx_bench_row *row)
{
    return median(row, field_power_ms);
}

double cx_bench_ms(const struct cx_bench_row *row)
{
    return cx_bench_time_ms(row, CX_BENCH_LATER);
}

const struct cx_bench_row *cx_bench_fastest_alone(const struct cx_bench_case *job,
                                                  const struct cx_bench_row *row)
{
    const struct cx_bench_row *best = NULL;
    for (unsigned i = 0; i < job->nrows; i++) {
        const struct cx_bench_row *bare = &job->row[i];
        const double ms = *bare->algo || !(bare->devices & row->devices) ? 0 : cx_bench_ms(bare);
        if (ms > 0 && (!best || ms < cx_bench_ms(best)))
            best = bare;
    }
    return best;
}

unsigned cx_bench_too_slow(const struct cx_bench_row *row)
{
    return !*row->algo && row->runs ? row->result[0].too_slow_s : 0;
}

bool cx_bench_is_through(const struct cx_bench_row *row)
{
    return *row->algo && strcmp(row->algo, CX_BENCH_NATIVE) != 0 && strcmp(row->algo, CX_BENCH_TOGETHER) != 0;
}

bool cx_bench_is_measured(const struct cx_bench_case *job)
{
    return job->nrows && job->row[0].runs;
}

bool cx_bench_maximum(const struct cx_bench_case *job, const struct cx_bench_row *row, double *best_ms,
                      double *maximum)
{
    double speed = 0, best = 0;
    uint64_t missing = row->devices;
    for (unsigned i = 0; i < job->nrows; i++) {
        const struct cx_bench_row *bare = &job->row[i];
        double ms = cx_bench_ms(bare);
        if (!*bare->algo && cx_bench_too_slow(bare))
            missing &= ~bare->devices;
        if (*bare->algo || !(bare->devices & row->devices) || !(ms > 0))
            continue;
        missing &= ~bare->devices;
        speed += __builtin_popcountll(bare->devices & row->devices) / ms;
        best = best == 0 || ms < best ? ms : best;
    }
    *best_ms = best;
    *maximum = best * speed;
    return missing == 0 && best > 0;
}

double cx_bench_over_native(const struct cx_bench_case *job, const struct cx_bench_row *row)
{
    const double ms = cx_bench_ms(row);
    for (unsigned i = 0; i < job->nrows && cx_bench_is_through(row) && ms > 0; i++) {
        const struct cx_bench_row *native = &job->row[i];
        if (strcmp(native->algo, CX_BENCH_NATIVE) == 0 && strcmp(native->set, row->set) == 0)
            return cx_bench_ms(native) / ms;
    }
    return 0;
}

/* Means over the runs that went well. */
static void means(const struct cx_bench_row *row, double *balance, double *packages, double *moved)
{
    unsigned n = 0, balanced = 0;
    *balance = *packages = *moved = 0;
    for (unsigned i = 0; i < row->runs; i++) {
        const struct cx_bench_result *result = &row->result[i];
        if (!result->ok)
            continue;
        n++;
        *packages += result->launches ? (double)result->packages / (double)result->launches : 0;
        *moved += result->moved_mb;
        if (result->balance >= 0) {
            *balance += result->balance;
            balanced++;
        }
    }
    *balance = balanced ? *balance / balanced : -1;
    *packages /= n ? n : 1;
    *moved /= n ? n : 1;
}

/* What a user meets, ms; and through coexec how fast that is over the fastest device alone. */
static void print_times(const struct cx_bench_case *job)
{
    printf("  %-14s %-9s", "ms (of bare)", "");
    for (enum cx_bench_time t = 0; t < CX_BENCH_TIMES; t++)
        printf("  %18s", cx_bench_time_names[t]);
    printf("\n");
    for (unsigned i = 0; i < job->nrows; i++) {
        const struct cx_bench_row *row = &job->row[i], *bare = cx_bench_fastest_alone(job, row);
        if (!(cx_bench_ms(row) > 0) || strcmp(row->algo, CX_BENCH_TOGETHER) == 0)
            continue;
        printf("  %-14.14s %-9.30s", *row->algo ? row->set : "bare", *row->algo ? row->algo : row->set);
        for (enum cx_bench_time t = 0; t < CX_BENCH_TIMES; t++) {
            const double ms = cx_bench_time_ms(row, t), alone = bare ? cx_bench_time_ms(bare, t) : 0;
            if (ms > 0 && *row->algo && alone > 0)
                printf("  %10.3f (%5.3f)", ms, alone / ms);
            else if (ms > 0)
                printf("  %10.3f        ", ms);
            else
                printf("  %18s", "-");
        }
        printf("\n");
    }
}

/* Whether no other way on the same devices is faster. */
static bool is_fastest(const struct cx_bench_case *job, const struct cx_bench_row *row)
{
    unsigned others = 0;
    if (strcmp(row->algo, CX_BENCH_TOGETHER) == 0)
        return false;
    for (unsigned i = 0; i < job->nrows; i++) {
        const struct cx_bench_row *other = &job->row[i];
        const double ms = cx_bench_ms(other);
        if (other == row || !*other->algo || strcmp(other->algo, CX_BENCH_TOGETHER) == 0 ||
            strcmp(other->set, row->set) != 0 || !(ms > 0))
            continue;
        if (ms < cx_bench_ms(row))
            return false;
        others++;
    }
    return others > 0;
}

/* Whether the row gains more than the devices' own times allow, by more than times differ from run to run. */
static bool is_doubtful(const struct cx_bench_case *job, const struct cx_bench_row *row)
{
    const double ms = cx_bench_ms(row);
    double best, maximum;
    return *row->algo && ms > 0 && cx_bench_maximum(job, row, &best, &maximum) &&
           best / ms / maximum > CX_BENCH_DOUBTFUL;
}

void cx_bench_print_case(const struct cx_bench_case *job)
{
    printf("%s (%s)\n", job->program->name, job->program->regular ? "regular" : "irregular");
    for (unsigned i = 0; i < job->nrows; i++) {
        const struct cx_bench_row *row = &job->row[i];
        double ms = cx_bench_ms(row), best, maximum, balance, packages, moved;
        printf("  %-14.14s %-9.30s", *row->algo ? row->set : "bare", *row->algo ? row->algo : row->set);
        if (cx_bench_too_slow(row)) {
            printf(" over %u s, counted as no speed\n", cx_bench_too_slow(row));
            continue;
        }
        if (!(ms > 0)) {
            printf(" failed: %s\n", row->runs ? row->result[row->runs - 1].problem : "not run");
            continue;
        }
        printf(" %10.3f ms", ms);
        if (*row->algo && cx_bench_maximum(job, row, &best, &maximum)) {
            means(row, &balance, &packages, &moved);
            printf("  speedup %6.3f of %6.3f  efficiency %5.3f%s", best / ms, maximum, best / ms / maximum,
                   is_doubtful(job, row) ? " ?" : "");
            if (balance >= 0)
                printf("  balance %5.3f", balance);
            else
                printf("  balance     -");
            if (cx_bench_is_through(row))
                printf("  packages %6.1f  moved %.1f MB", packages, moved);
            if (cx_bench_over_native(job, row) > 0)
                printf("  over native %5.3f", cx_bench_over_native(job, row));
            if (is_fastest(job, row))
                printf("  fastest");
        }
        for (unsigned r = 0; r < row->runs; r++)
            if (!row->result[r].ok) {
                printf("  (%s)", row->result[r].problem);
                break;
            }
        printf("\n");
    }
    print_times(job);
    cx_bench_print_energy(job);
    fflush(stdout);
}

struct mean {
    double log_efficiency, log_speedup, log_balance, log_over;
    unsigned n, balanced, over;
};

static void add_to(struct mean *mean, const struct cx_bench_case *job, const struct cx_bench_row *row)
{
    double ms = cx_bench_ms(row), best, maximum, balance, packages, moved;
    if (!(ms > 0) || !cx_bench_maximum(job, row, &best, &maximum))
        return;
    means(row, &balance, &packages, &moved);
    mean->log_efficiency += log(best / ms / maximum);
    mean->log_speedup += log(best / ms);
    mean->n++;
    if (balance > 0) {
        mean->log_balance += log(balance);
        mean->balanced++;
    }
    if (cx_bench_over_native(job, row) > 0) {
        mean->log_over += log(cx_bench_over_native(job, row));
        mean->over++;
    }
}

/* What means are made of: a paper's programs, those whose arithmetic takes long, or all. */
enum { ALL = 0, LONG = 1 << 8 };

static bool belongs(const struct cx_bench_case *job, unsigned group)
{
    double best = 0;
    for (unsigned i = 0; i < job->nrows; i++) {
        const double ms = *job->row[i].algo ? 0 : cx_bench_ms(&job->row[i]);
        best = ms > 0 && (best == 0 || ms < best) ? ms : best;
    }
    if (group == LONG)
        return job->program->compute && best > CX_BENCH_LONG_MS;
    return group == ALL || job->program->papers & group;
}

static void print_head(unsigned group, bool native)
{
    if (group == LONG)
        printf("compute-bound, over %.0f ms alone", CX_BENCH_LONG_MS);
    else
        printf("%s", group == ALL ? "all programs" : cx_bench_paper_name(group));
    printf("%s: geometric means\n  %-14s %-9s  %12s  %12s  %12s  %7s  %7s  %s\n",
           group == ALL || group == LONG ? "" : " paper", "devices", "balancer", "eff. regular", "irregular",
           "all", "speedup", "balance", native ? "over native" : "");
}

/* 0: regular, 1: irregular, 2: all */
static void print_way(const struct cx_bench_case *jobs, size_t count, unsigned group,
                      const struct cx_bench_row *way)
{
    struct mean mean[3] = {{0}};
    for (size_t j = 0; j < count; j++) {
        if (!belongs(&jobs[j], group))
            continue;
        for (unsigned i = 0; i < jobs[j].nrows; i++)
            if (strcmp(jobs[j].row[i].algo, way->algo) == 0 && strcmp(jobs[j].row[i].set, way->set) == 0) {
                add_to(&mean[jobs[j].program->regular ? 0 : 1], &jobs[j], &jobs[j].row[i]);
                add_to(&mean[2], &jobs[j], &jobs[j].row[i]);
            }
    }
    if (!mean[2].n)
        return;
    printf("  %-14.14s %-9.30s", way->set, way->algo);
    for (unsigned k = 0; k < 3; k++)
        if (mean[k].n)
            printf("  %7.3f (%2u)", exp(mean[k].log_efficiency / mean[k].n), mean[k].n);
        else
            printf("  %12s", "-");
    printf("  %7.3f", exp(mean[2].log_speedup / mean[2].n));
    if (mean[2].balanced)
        printf("  %7.3f", exp(mean[2].log_balance / mean[2].balanced));
    else
        printf("  %7s", "-");
    if (mean[2].over)
        printf("  %7.3f (%2u)", exp(mean[2].log_over / mean[2].over), mean[2].over);
    printf("\n");
}

/* Whether no job before, and no row before in this one, has these devices and balancer. */
static bool is_new_way(const struct cx_bench_case *jobs, size_t j, unsigned i)
{
    const struct cx_bench_row *row = &jobs[j].row[i];
    for (size_t k = 0; k <= j; k++)
        for (unsigned r = 0; r < (k < j ? jobs[k].nrows : i); r++)
            if (strcmp(jobs[k].row[r].algo, row->algo) == 0 && strcmp(jobs[k].row[r].set, row->set) == 0)
                return false;
    return true;
}

void cx_bench_print_papers(const struct cx_bench_case *jobs, size_t count)
{
    static const unsigned groups[] = {CX_PAPER_SIGMOID, CX_PAPER_OMPSS, CX_PAPER_MARROW,
                                      CX_PAPER_LOGFIT,  LONG,           ALL};
    bool native = false, doubtful = false;
    for (size_t j = 0; j < count; j++)
        for (unsigned i = 0; i < jobs[j].nrows; i++) {
            native |= strcmp(jobs[j].row[i].algo, CX_BENCH_NATIVE) == 0;
            doubtful |= is_doubtful(&jobs[j], &jobs[j].row[i]);
        }
    if (doubtful)
        puts("?: more than the devices' own times allow. Either these were too long (other work on the "
             "machine), or "
             "the program\n   gains in another way, such as by pinned memory or caches.");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        unsigned n = 0;
        for (size_t j = 0; j < count; j++)
            n += cx_bench_is_measured(&jobs[j]) && belongs(&jobs[j], groups[g]);
        if (!n)
            continue;
        print_head(groups[g], native);
        for (size_t j = 0; j < count; j++)
            for (unsigned i = 0; i < jobs[j].nrows; i++)
                if (*jobs[j].row[i].algo && is_new_way(jobs, j, i))
                    print_way(jobs, count, groups[g], &jobs[j].row[i]);
    }
    cx_bench_print_energy_means(jobs, count);
}
