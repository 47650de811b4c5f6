/* SPDX-License-Identifier: MIT */
/*
 * The planner's state. See planner.h.
 */
#include "layer/plan/planner.h"
#include "layer/plan/device_load.h"

#include <stdlib.h>

struct cx_planner *cx_planner_new(void)
{
    struct cx_planner *planner = calloc(1, sizeof(*planner));
    if (!planner)
        return NULL;
    planner->loads = calloc(CX_MEMBERS_MAX, sizeof(*planner->loads));
    if (planner->loads)
        return planner;
    free(planner);
    return NULL;
}

void cx_planner_free(struct cx_planner *planner) CX_UNCHECKED
{
    if (!planner)
        return;
    free(planner->loads);
    free(planner->candidates);
    free(planner->few_regions);
    free(planner);
}
