/* SPDX-License-Identifier: MIT */
/*
 * The planner's state. See planner.h.
 */
#include "layer/plan/planner.h"
#include "layer/plan/device_load.h"
#include "layer/access/access.h"

#include <stdlib.h>
#include <time.h>

/* Zeroed, with its pages in place: the first launch that uses them would wait for five page faults. */
static struct cx_access_region *make_regions(void)
{
    enum { PAGE = 4096 };
    struct cx_access_region *regions = calloc(CX_FEW_REGIONS, sizeof(*regions));
    for (size_t i = 0; regions && i < CX_FEW_REGIONS * sizeof(*regions); i += PAGE)
        ((volatile char *)regions)[i] = 0;
    return regions;
}

struct cx_planner *cx_planner_new(void) CX_UNCHECKED /* nobody else has it yet */
{
    struct cx_planner *planner = calloc(1, sizeof(*planner));
    if (!planner)
        return NULL;
    planner->loads = calloc(CX_MEMBERS_MAX, sizeof(*planner->loads));
    if (!planner->loads) {
        free(planner);
        return NULL;
    }
    planner->few_regions = make_regions();
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&planner->caught_up, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return planner;
}

void cx_planner_free(struct cx_planner *planner) CX_UNCHECKED
{
    if (!planner)
        return;
    pthread_cond_destroy(&planner->caught_up);
    free(planner->loads);
    free(planner->candidates);
    free(planner->chains);
    free(planner->few_regions);
    free(planner);
}
