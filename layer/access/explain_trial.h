/* SPDX-License-Identifier: MIT */
/* Trial launches for explain.c, used if no recorded launch is given. */
#ifndef CX_LAYER_ACCESS_EXPLAIN_TRIAL_H
#define CX_LAYER_ACCESS_EXPLAIN_TRIAL_H

#include "layer/access/access.h"

/*
 * Finds the best verdict over some typical launches. *access, which the caller destroys, is of that launch;
 * *local is its work-group size along each dimension if that was not the most usual one, else 0. False: there
 * is none (*access is NULL). checked: of launches that are split first and checked afterwards. Called by
 * explain.c.
 */
bool cx_explain_try(const struct cx_summary_kernel *k, bool checked, struct cx_access **access,
                    struct cx_access_verdict *verdict, uint64_t *local);

#endif
