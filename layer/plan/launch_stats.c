/* SPDX-License-Identifier: MIT */
/*
 * Reports a launch to the summary table. See launch_stats.h.
 */
#include "layer/plan/launch_stats.h"
#include "layer/driver/device.h"
#include "layer/plan/plan.h"
#include "layer/report/kernel_table.h"

#include <stdlib.h>

static bool has_protocol(const struct cx_launch *launch, unsigned protocol)
{
    for (unsigned i = 0; launch->protocols && i < launch->args->count; i++)
        if (launch->protocols[i] == protocol)
            return true;
    return false;
}

static struct cx_stats_part part_of(const struct cx_context *context, const struct cx_part *part)
{
    const unsigned index = context->workers[part->member].device->index;
    return (struct cx_stats_part){.device = index,
                                  .name = cx_machine_get()->devices[index].name,
                                  .packages = part->packages,
                                  .groups = part->groups,
                                  .busy_ns = part->busy_ns,
                                  .first_ns = part->first_ns,
                                  .last_ns = part->last_ns};
}

void cx_launch_stats(const struct cx_launch *launch)
{
    struct cx_stats_part *parts = calloc(launch->nparts + 1u, sizeof(*parts));
    char where[256];
    if (!parts)
        return;
    for (unsigned p = 0; p < launch->nparts; p++)
        parts[p] = part_of(launch->base.context, &launch->parts[p]);
    cx_places_text(where, sizeof(where), launch->summary, launch->line, launch->other_line, NULL);
    const struct cx_stats_run run = {.part = parts,
                                     .nparts = launch->nparts,
                                     .moved = launch->moved,
                                     .changed = launch->changed,
                                     .combined = launch->combined,
                                     .merges = has_protocol(launch, CX_PROTOCOL_MERGE),
                                     .has_private = has_protocol(launch, CX_PROTOCOL_REDUCTION),
                                     .remote_access = launch->remote_access,
                                     .reason = launch->reason,
                                     .where = where,
                                     .line = launch->line};
    cx_stats_launch(launch->kernel->function->stats, &run);
    free(parts);
}

void cx_launch_decided(const struct cx_launch *launch, unsigned member, const char *why)
{
    cx_stats_decided(launch->kernel->function->stats, launch->base.context->workers[member].device->index,
                     why);
}
