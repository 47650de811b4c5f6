/* SPDX-License-Identifier: MIT */
/* The trial launch of explain.c, which has no recorded one. */
#ifndef CX_LAYER_ACCESS_EXPLAIN_TRIAL_H
#define CX_LAYER_ACCESS_EXPLAIN_TRIAL_H

#include "layer/access/access.h"

/*
 * The best verdict over some launches. *access (cx_access_destroy() it) was made for that launch; *local is
 * its work-group size along each dimension where it was not the most usual one, else 0. False: no access
 * (NULL). Called by explain.c.
 */
bool cx_explain_try(const struct cx_summary_kernel *k, struct cx_access **access,
                    struct cx_access_verdict *verdict, uint64_t *local);

#endif
