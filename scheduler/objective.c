/* SPDX-License-Identifier: MIT */
/*
 * Taking devices away for energy. See objective.h.
 */
#include "scheduler/objective.h"

#include <math.h>
#include <string.h>

/* A set must be better by this part to replace the last one. */
static const double margin = 0.03;
/* Launches until all that admission found take part again. */
enum { TRIED_ANEW = 64 };

/* The others only idle. */
static void only_offered(const struct cx_objective_launch *launch, struct cx_energy_device *devices)
{
    memcpy(devices, launch->devices, launch->n * sizeof *devices);
    for (unsigned i = 0; i < launch->n; i++)
        if (!(launch->offered >> i & 1))
            devices[i].speed = devices[i].dynamic_watts = 0;
}

static bool is_kept(const struct cx_objective *objective, const struct cx_objective_launch *launch,
                    const struct cx_energy_choice *last, const struct cx_energy_choice *best)
{
    return objective->offered == launch->offered && last->members &&
           cx_energy_value(best, launch->goal) > (1 - margin) * cx_energy_value(last, launch->goal);
}

struct cx_objective_choice cx_objective_decide(struct cx_objective *objective,
                                               const struct cx_objective_launch *launch)
{
    struct cx_energy_device devices[CX_ENERGY_MOST];
    struct cx_objective_choice choice = {.members = launch->offered};
    if (launch->n > CX_ENERGY_MOST)
        return choice;
    only_offered(launch, devices);
    const struct cx_energy_choice all = cx_energy_of_set(devices, launch->n, launch->groups,
                                                         launch->rest_watts, launch->offered),
                                  last = cx_energy_of_set(devices, launch->n, launch->groups,
                                                          launch->rest_watts, objective->members);
    struct cx_energy_choice best =
        cx_energy_choose(devices, launch->n, launch->groups, launch->rest_watts, launch->goal);
    if (!all.members || !best.members)
        return choice;
    if (is_kept(objective, launch, &last, &best))
        best = last;
    objective->offered = launch->offered;
    objective->members = best.members;
    if (best.members == launch->offered || ++objective->launches > TRIED_ANEW) {
        objective->launches = 0;
        best = all;
    }
    choice.members = best.members;
    choice.joules = best.joules;
    choice.saved = all.joules - best.joules;
    return choice;
}
