/* SPDX-License-Identifier: MIT */
/*
 * The parameters of every policy: the rows of params.def. See params.h.
 */
#include "scheduler/params.h"

#include <assert.h>
#include <float.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define CX_ABOVE_0  DBL_MIN
#define CX_NO_LIMIT 1e300

const struct cx_balancer_params cx_balancer_defaults = {
#define CX_PARAM(policy, name, fallback, lowest, highest, help) .policy##_##name = fallback,
#include "scheduler/params.def"
#undef CX_PARAM
};

static const struct cx_param_row rows[] = {
#define CX_PARAM(policy, name, fallback, lowest, highest, help)                                              \
    {#policy, #name, offsetof(struct cx_balancer_params, policy##_##name), fallback, lowest, highest, help},
#include "scheduler/params.def"
#undef CX_PARAM
};

static_assert(sizeof rows / sizeof *rows <= 64, "algo.c has bits for them");

const struct cx_param_row *cx_param_get(unsigned index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

const char *cx_param_bounds(const struct cx_param_row *row)
{
    if (row->highest < CX_NO_LIMIT)
        return row->lowest > 0 ? "a number above 0, at most 1" : "a number from 0 to 1";
    return row->lowest > 0 ? "a number above 0" : "0 or a number above it";
}

static bool within(const struct cx_param_row *row, double value)
{
    return value >= row->lowest && value <= row->highest;
}

static double *field_of(struct cx_balancer_params *params, const struct cx_param_row *row)
{
    return (double *)((char *)params + row->offset);
}

void cx_params_clean(struct cx_balancer_params *params)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!within(&rows[i], *field_of(params, &rows[i])))
            *field_of(params, &rows[i]) = rows[i].fallback;
}

bool cx_param_set(struct cx_balancer_params *params, const struct cx_param_row *row, const char *text)
{
    char *end;
    if (!*text || text[strspn(text, "0123456789.+-eE")])
        return false;
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return false;
    const double value = strtod_l(text, &end, c);
    freelocale(c);
    if (end == text || *end || !within(row, value))
        return false;
    *field_of(params, row) = value;
    return true;
}
