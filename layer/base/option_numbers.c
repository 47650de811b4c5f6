/* SPDX-License-Identifier: MIT */
/*
 * Numbers and sizes of options. See option_numbers.h. Next: options.c.
 */
#include "layer/base/option_numbers.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static locale_t c_locale; /* numbers are read with a point, whatever locale the program has set */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t plain(void)
{
    pthread_once(&once, make_locale);
    return c_locale;
}

bool cx_option_uint(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0')
        return false;
    *value = number;
    return true;
}

static const char *const cut_names[] = {NULL, "l1", "l2", "l3", "numa", "auto"};

const char *cx_option_cut_name(enum cx_option_cut_by by)
{
    return cut_names[by];
}

bool cx_option_cut(const char *text, struct cx_option_cut *cut)
{
    for (unsigned i = CX_CUT_L1; i <= CX_CUT_AUTO; i++)
        if (strcmp(text, cut_names[i]) == 0) {
            *cut = (struct cx_option_cut){.by = i};
            return true;
        }
    uint64_t cores;
    if (!cx_option_uint(text, &cores))
        return false;
    *cut = (struct cx_option_cut){.cores = cores};
    return true;
}

const char *cx_option_number(const char *text, char stop, double *value)
{
    char *end;
    if (!strchr("0123456789.+-", *text))
        return NULL;
    *value = strtod_l(text, &end, plain());
    if (end == text || (*end != stop && *end != '\0') || !(*value > -1e300 && *value < 1e300))
        return NULL;
    return *end ? end + 1 : end;
}

bool cx_option_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    char *end;
    if (!strchr("0123456789.", *text) || !*text)
        return false;
    double value = strtod_l(text, &end, plain());
    const bool fraction = memchr(text, '.', (size_t)(end - text)) != NULL;
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (end == text || value < 0 || memchr(text, 'x', (size_t)(end - text)))
        return false;
    if (strcmp(end, "%") == 0 && value <= 100) {
        *bytes = (uint64_t)(value / 100 * memory);
        return true;
    }
    if (!*end && fraction && value <= 1) {
        *bytes = (uint64_t)(value * memory);
        return true;
    }
    if (!*end && !fraction)
        return cx_option_uint(text, bytes);
    if (!unit || end[1] || value > 1e6)
        return false;
    *bytes = (uint64_t)(value * (double)(UINT64_C(1024) << (10 * (unit - units))));
    return true;
}

bool cx_option_in_bounds(const char *accepted, double value)
{
    int low, high;
    if (sscanf(accepted, "number above %d", &low) == 1)
        return value > low;
    if (sscanf(accepted, "number from %d to %d", &low, &high) == 2)
        return value >= low && value <= high;
    return true;
}
