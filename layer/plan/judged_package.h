/* SPDX-License-Identifier: MIT */
/*
 * What packages of a judged launch touch, kept with the verdict: programs enqueue the same launch again and
 * again, whose parts stay as they are, and to work it out for a kernel of forty accesses takes a tenth of a
 * millisecond. Previous stage: judge.h, access.h. Next: candidates.c, launch/static.c.
 */
#ifndef CX_LAYER_PLAN_JUDGED_PACKAGE_H
#define CX_LAYER_PLAN_JUDGED_PACKAGE_H

#include "layer/plan/plan.h"

/* As cx_access_package: `regions` by argument, nargs of them. Called by candidates.c and launch/static.c. */
void cx_judged_package(struct cx_cached_verdict *judged, uint64_t first, uint64_t end, unsigned nargs,
                       struct cx_access_region *regions) CX_HOLDS(cx_context_locked);
/* The same of the whole launch, as cx_access_whole. Called by candidates.c. */
void cx_judged_whole(struct cx_cached_verdict *judged, unsigned nargs, struct cx_access_region *regions)
    CX_HOLDS(cx_context_locked);
/* Frees what is kept. Called by kernel_history.c. */
void cx_judged_package_forget(struct cx_cached_verdict *judged) CX_HOLDS(cx_context_locked);

#endif
