/* SPDX-License-Identifier: MIT */
/*
 * The planner's state. See planner.h.
 */
#include "layer/plan/planner.h"

#include <stdlib.h>

struct cx_planner *cx_planner_new(void)
{
    return calloc(1, sizeof(struct cx_planner));
}

void cx_planner_free(struct cx_planner *planner)
{
    if (!planner)
        return;
    free(planner->candidates);
    free(planner->few_regions);
    free(planner);
}
