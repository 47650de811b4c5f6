/* SPDX-License-Identifier: MIT */
/*
 * What every policy's parameters are called, which values they take, and what these are by default.
 * Thread-safe. Previous stage: params.def, the table. Next: algo.h, which reads them behind a policy's name.
 */
#ifndef CX_SCHEDULER_PARAMS_H
#define CX_SCHEDULER_PARAMS_H

#include "scheduler/balancer.h"

/* One parameter of a policy, a row of params.def. */
struct cx_param_row {
    const char *policy, *name;
    size_t offset; /* of its double in struct cx_balancer_params */
    double fallback, lowest, highest;
    const char *help;
};
/* The i-th row, NULL past the last. Called by algo.c and base/options.c. */
const struct cx_param_row *cx_param_get(unsigned index);
/* What it accepts, in words. Called by algo.c and base/options.c. */
const char *cx_param_bounds(const struct cx_param_row *row);
/* Sets it from a text, with a point whatever the locale; false: that is no number within its bounds.
 * Called by algo.c and base/options.c. */
bool cx_param_set(struct cx_balancer_params *params, const struct cx_param_row *row, const char *text);
/* Gives each parameter that is out of its bounds its default. Called by balancer.c. */
void cx_params_clean(struct cx_balancer_params *params);

#endif
