/* SPDX-License-Identifier: MIT */
/*
 * Taking devices away for energy. See objective.h.
 */
#include "scheduler/objective.h"

#include <math.h>
#include <string.h>

/* A set must be better by this part to replace the last one. */
static const double margin = 0.03;
/* Launches of all in a row that must say the same before devices are left out: speeds are known badly at
 * first. */
enum { AGREED = 3 };
/* Launches with some left out until all that admission found take part again: few at first, as nothing else
 * tells that it was wrong, then four times as many each time. */
enum { TRIED_FIRST = 4, TRIED_ANEW = 64 };

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

/* Counts the launch. nothing_left_out: by the model. */
static bool all_take_part(struct cx_objective *objective, bool nothing_left_out)
{
    if (nothing_left_out) {
        objective->agreed = objective->launches = objective->until = 0;
        return true;
    }
    if (objective->agreed < AGREED) {
        objective->agreed++;
        objective->until = TRIED_FIRST;
        return true;
    }
    if (++objective->launches <= objective->until)
        return false;
    objective->launches = 0;
    objective->until = objective->until < TRIED_ANEW / 4 ? 4 * objective->until : TRIED_ANEW;
    return true;
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
    if (all_take_part(objective, best.members == launch->offered))
        best = all;
    choice.members = best.members;
    choice.joules = best.joules;
    choice.saved = all.joules - best.joules;
    return choice;
}
