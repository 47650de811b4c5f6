/* SPDX-License-Identifier: MIT */
/*
 * Levels that were tried. See cut_record.h.
 */
#include "layer/knowledge/cut_record.h"
#include "layer/base/option_numbers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A level is better if its launches take less than this of the other's: measurements differ by as much. */
#define BETTER 0.97
/* A level is not tried for launches that take less in a process, ns: there is nothing to gain. */
#define WORTH_A_TRIAL 50e6
/* So often a level is tried that then has no figures: its processes were killed, or ran something else. */
enum { MOST_TRIES = 3 };
static const char head[] = "coexec cut 1 ";
#define LONGEST_NS UINT64_C(1000000000000000)
#define MOST_TOLD  UINT64_C(1000000000) /* tries; scanf() takes numbers below 0, too, as large ones */

const char *cx_cut_level_name(unsigned level)
{
    return level ? cx_option_cut_name(CX_CUT_L1 + level - 1) : "whole";
}

static double total(const struct cx_cut_figures *figures)
{
    double ns = 0;
    for (unsigned i = 0; i < figures->n; i++)
        ns += (double)figures->kernel[i].launches * (double)figures->kernel[i].ns;
    return ns;
}

static const struct cx_cut_kernel *find(const struct cx_cut_figures *figures, uint64_t key)
{
    for (unsigned i = 0; i < figures->n; i++)
        if (figures->kernel[i].key == key)
            return &figures->kernel[i];
    return NULL;
}

bool cx_cut_ratio(const struct cx_cut_record *record, unsigned level, unsigned other, double *ratio)
{
    const struct cx_cut_figures *theirs = &record->level[other];
    double ns = 0, of = 0;
    for (unsigned i = 0; i < theirs->n; i++) {
        const struct cx_cut_kernel *kernel = &theirs->kernel[i],
                                   *same = find(&record->level[level], kernel->key);
        if (!same)
            continue;
        ns += (double)kernel->launches * (double)same->ns;
        of += (double)kernel->launches * (double)kernel->ns;
    }
    if (!(of > 0) || of < total(theirs) / 2)
        return false;
    *ratio = ns / of;
    return true;
}

unsigned cx_cut_choose(const struct cx_cut_record *record, const unsigned *order, unsigned n, bool may_try)
{
    unsigned best = order[0];
    if (record->level[best].n == 0)
        return best;
    for (unsigned i = 1; i < n; i++) {
        double ratio;
        if (!cx_cut_ratio(record, order[i], best, &ratio))
            return may_try && record->level[order[i]].tries < MOST_TRIES &&
                           total(&record->level[best]) > WORTH_A_TRIAL
                       ? order[i]
                       : best;
        if (ratio > BETTER)
            break;
        best = order[i];
    }
    return best;
}

static int by_time(const void *a, const void *b)
{
    const struct cx_cut_kernel *one = a, *other = b;
    const double first = (double)one->launches * (double)one->ns,
                 second = (double)other->launches * (double)other->ns;
    return (first < second) - (first > second);
}

void cx_cut_enter(struct cx_cut_record *record, unsigned level, const struct cx_cut_kernel *kernel,
                  unsigned n)
{
    struct cx_cut_figures *figures = &record->level[level];
    struct cx_cut_kernel *all = calloc(n + CX_CUT_KERNELS, sizeof *all);
    if (!all || n == 0) {
        free(all);
        return;
    }
    const struct cx_cut_figures before = *figures;
    memcpy(all, kernel, n * sizeof *all);
    qsort(all, n, sizeof *all, by_time);
    figures->n = n < CX_CUT_KERNELS ? n : CX_CUT_KERNELS;
    memcpy(figures->kernel, all, figures->n * sizeof *all);
    for (unsigned i = 0; i < before.n && figures->n < CX_CUT_KERNELS; i++)
        if (!find(figures, before.kernel[i].key))
            figures->kernel[figures->n++] = before.kernel[i];
    free(all);
}

/* ---- text ---- */

char *cx_cut_print(const struct cx_cut_record *record, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    fprintf(out, "%s%s\n", head, record->name);
    for (unsigned l = 0; l < CX_CUT_LEVELS; l++) {
        const struct cx_cut_figures *figures = &record->level[l];
        fprintf(out, "level %u %" PRIu64 "\n", l, figures->tries);
        for (unsigned i = 0; i < figures->n; i++)
            fprintf(out, "kernel %016" PRIx64 " %" PRIu64 " %" PRIu64 "\n", figures->kernel[i].key,
                    figures->kernel[i].launches, figures->kernel[i].ns);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static bool parse_level(const char *line, unsigned next, uint64_t *tries)
{
    unsigned level;
    char end;
    return sscanf(line, "level %1u %9" SCNu64 "%c", &level, tries, &end) == 2 && level == next &&
           level < CX_CUT_LEVELS && *tries < MOST_TOLD;
}

static bool parse_kernel(const char *line, struct cx_cut_kernel *kernel)
{
    char end;
    return sscanf(line, "kernel %16" SCNx64 " %18" SCNu64 " %18" SCNu64 "%c", &kernel->key, &kernel->launches,
                  &kernel->ns, &end) == 3 &&
           kernel->key && kernel->launches && kernel->launches < LONGEST_NS && kernel->ns &&
           kernel->ns < LONGEST_NS;
}

static bool parse_lines(char *text, struct cx_cut_record *record)
{
    char *rest, *line = strtok_r(text, "\n", &rest);
    unsigned levels = 0;
    if (!line || strncmp(line, head, sizeof head - 1) != 0)
        return false;
    snprintf(record->name, sizeof record->name, "%s", line + sizeof head - 1);
    for (char *at = record->name; *at; at++)
        *at = (char)(isprint((unsigned char)*at) ? *at : '?');
    while ((line = strtok_r(NULL, "\n", &rest))) {
        struct cx_cut_figures *figures = levels ? &record->level[levels - 1] : NULL;
        struct cx_cut_kernel kernel;
        uint64_t tries;
        if (parse_level(line, levels, &tries))
            record->level[levels++].tries = tries;
        else if (figures && figures->n < CX_CUT_KERNELS && parse_kernel(line, &kernel) &&
                 !find(figures, kernel.key))
            figures->kernel[figures->n++] = kernel;
        else
            return false;
    }
    return levels == CX_CUT_LEVELS;
}

bool cx_cut_parse(const char *text, size_t size, struct cx_cut_record *record)
{
    memset(record, 0, sizeof *record);
    char *copy = memchr(text, '\0', size) ? NULL : strndup(text, size);
    const bool good = copy && parse_lines(copy, record);
    free(copy);
    if (!good)
        memset(record, 0, sizeof *record);
    return good;
}
