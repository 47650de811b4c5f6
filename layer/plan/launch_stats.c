/* SPDX-License-Identifier: MIT */
/*
 * Reports a launch to the summary table. See launch_stats.h.
 */
#include "layer/plan/launch_stats.h"
#include "layer/base/options.h"
#include "layer/driver/device.h"
#include "layer/knowledge/cut_search.h"
#include "layer/plan/plan.h"
#include "layer/plan/recall.h"
#include "layer/report/kernel_table.h"
#include "layer/report/live.h"
#include "layer/report/trace.h"

#include <stdlib.h>

static bool has_protocol(const struct cx_launch *launch, unsigned protocol)
{
    for (unsigned i = 0; launch->decision.protocols && i < launch->request.args->count; i++)
        if (launch->decision.protocols[i] == protocol)
            return true;
    return false;
}

unsigned cx_launch_cpu_units(const struct cx_launch *launch, unsigned member)
{
    const struct cx_real_device *device = launch->base.context->workers[member].device;
    return device->type & CL_DEVICE_TYPE_CPU ? device->compute_units : 0;
}

static struct cx_kernel_table_part part_of(const struct cx_launch *launch, const struct cx_part *part)
{
    const unsigned index = launch->base.context->workers[part->member].device->index;
    return (struct cx_kernel_table_part){.device = index,
                                         .name = cx_machine_get()->devices[index].name,
                                         .cpu_units = cx_launch_cpu_units(launch, part->member),
                                         .packages = part->packages,
                                         .groups = part->groups,
                                         .busy_ns = part->busy_ns,
                                         .first_ns = part->first_ns,
                                         .last_ns = part->last_ns};
}

/* Where in the program's text the reason lies; "": nowhere. */
static const char *reason_place(const struct cx_launch *launch, char *text, size_t room)
{
    const struct cx_launch_decision *decision = &launch->decision;
    *text = '\0';
    if (decision->line || decision->other_line) /* the text costs as much as all the rest */
        cx_summary_lines_text(text, room, decision->summary, decision->line, decision->other_line, NULL);
    return text;
}

void cx_launch_stats(const struct cx_launch *launch)
{
    struct cx_kernel_table_part *parts = calloc(launch->outcome.nparts + 1u, sizeof(*parts));
    char where[256];
    if (!parts)
        return;
    for (unsigned p = 0; p < launch->outcome.nparts; p++)
        parts[p] = part_of(launch, &launch->outcome.parts[p]);
    const struct cx_kernel_table_run run = {
        .part = parts,
        .nparts = launch->outcome.nparts,
        .items = cx_launch_items(&launch->request.geometry),
        .moved = launch->outcome.moved,
        .changed = launch->outcome.changed,
        .combined = launch->outcome.combined,
        .merges = has_protocol(launch, CX_PROTOCOL_MERGE),
        .has_private =
            has_protocol(launch, CX_PROTOCOL_REDUCTION) || has_protocol(launch, CX_PROTOCOL_CHECKED),
        .remote_access = launch->decision.remote_access,
        .reason = launch->decision.reason == CX_WHY_NONE ? NULL : cx_launch_why(launch),
        .where = reason_place(launch, where, sizeof(where)),
        .line = launch->decision.line};
    cx_kernel_table_launch(launch->request.kernel->function->stats, &run);
    free(parts);
}

unsigned cx_launch_reason(const struct cx_launch *launch)
{
    char where[256];
    if (!cx_options_get()->summary || launch->decision.reason == CX_WHY_NONE)
        return 0;
    return cx_kernel_table_reason(launch->request.kernel->function->stats, cx_launch_why(launch),
                                  reason_place(launch, where, sizeof(where)), launch->decision.line);
}

void cx_launch_repeated(const struct cx_launch_repeat *repeat)
{
    if (!cx_options_get()->summary)
        return;
    const struct cx_kernel_table_repeat row = {.device = repeat->device->index,
                                               .name = cx_machine_get()->devices[repeat->device->index].name,
                                               .reason = repeat->reason,
                                               .groups = repeat->groups,
                                               .items = repeat->items,
                                               .failed = repeat->failed};
    cx_kernel_table_repeated(repeat->kernel->function->stats, &row);
}

bool cx_launch_times_all(void)
{
    const struct cx_options *options = cx_options_get();
    return cx_trace_on() || (options->power && options->summary);
}

static uint64_t mixed(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 0x100000001b3u;
}

/* Of kernel, range and arguments. */
static uint64_t key_of(const struct cx_launch *launch)
{
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    uint64_t key = mixed(cx_recall_arguments(launch), geometry->work_dim);
    for (const char *at = launch->request.kernel->function->name; *at; at++)
        key = mixed(key, (unsigned char)*at);
    for (unsigned d = 0; d < geometry->work_dim; d++)
        key = mixed(mixed(key, geometry->global[d]), launch->request.local_given ? geometry->local[d] : 0);
    return key;
}

void cx_launch_took(const struct cx_launch *launch, uint64_t ns)
{
    if (cx_cut_search_measures())
        cx_cut_search_add(key_of(launch), ns);
}

void cx_launch_live(const struct cx_launch *launch)
{
    const struct cx_launch_outcome *outcome = &launch->outcome;
    const unsigned kernel = launch->request.kernel->function->live;
    uint64_t first = UINT64_MAX, last = 0, groups = 0, busy = 0;
    unsigned worked = 0;
    for (unsigned p = 0; p < outcome->nparts; p++) {
        const struct cx_part *part = &outcome->parts[p];
        if (!part->packages)
            continue;
        worked++;
        groups += part->groups;
        busy += part->busy_ns;
        first = part->first_ns && part->first_ns < first ? part->first_ns : first;
        last = part->last_ns > last ? part->last_ns : last;
    }
    const uint64_t span = worked < 2 ? busy : last > first ? last - first : 0;
    cx_live_over(kernel, span);
    for (unsigned p = 0; p < outcome->nparts && worked > 1; p++) {
        const struct cx_part *part = &outcome->parts[p];
        const uint64_t whole = part->last_ns > part->first_ns ? part->last_ns - part->first_ns : 0;
        cx_live_measured(kernel, launch->base.context->workers[part->member].device->index,
                         cx_launch_cpu_units(launch, part->member), part->groups,
                         part->busy_ns < whole ? part->busy_ns : whole, true); /* packages may overlap */
    }
    if (worked > 1) {
        cx_live_split(kernel, groups, span);
        cx_launch_took(launch, span);
    }
}

void cx_launch_decided(const struct cx_launch *launch, unsigned member, enum cx_part_note note)
{
    cx_kernel_table_decided(launch->request.kernel->function->stats,
                            launch->base.context->workers[member].device->index, cx_part_note_text(note));
}
