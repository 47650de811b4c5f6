/* SPDX-License-Identifier: MIT */
/*
 * Numbers of command lines and of several runs. See coexec.h.
 */
#include "tools/coexec.h"

#include <errno.h>
#include <stdlib.h>

bool cx_read_count(const char *text, unsigned highest, unsigned *value)
{
    char *end;
    errno = 0;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number == 0 || number > highest)
        return false;
    *value = (unsigned)number;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

double cx_median(double *values, unsigned n)
{
    if (n == 0)
        return 0;
    qsort(values, n, sizeof *values, by_value);
    return (values[n / 2] + values[(n - 1) / 2]) / 2;
}
