/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of launches. See trace_launch.h.
 */
#include "layer/plan/trace_launch.h"
#include "layer/plan/launch_stats.h"
#include "layer/plan/plan.h"
#include "layer/program/program.h"
#include "layer/report/gain.h"
#include "layer/timeline/command.h"
#include "layer/timeline/trace_command.h"
#include "layer/timeline/worker.h"

#include <stdio.h>

void cx_trace_plan(const struct cx_launch *launch, bool split)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (!cx_trace_on())
        return;
    struct cx_trace_args args = {.used = 0};
    double speed[64] = {0};
    for (unsigned m = 0; history && m < context->nmembers && m < 64; m++)
        speed[m] = cx_speed_record_speed(&history->records[m]);
    cx_trace_count(&args, "launch", launch->base.base.id);
    cx_trace_flag(&args, "split", split);
    cx_trace_text(&args, "reason", cx_launch_why(launch));
    const char *file = launch->decision.summary
                           ? cx_summary_line_file(launch->decision.summary, launch->decision.line)
                           : NULL;
    if (launch->decision.line)
        cx_trace_count(&args, "line", cx_summary_line_number(launch->decision.line));
    if (launch->decision.other_line)
        cx_trace_count(&args, "other_line", cx_summary_line_number(launch->decision.other_line));
    if (file)
        cx_trace_text(&args, "file", file);
    cx_trace_count(&args, "groups", launch->request.geometry.local[0] ? cx_launch_groups(launch) : 0);
    cx_trace_numbers(&args, "groups_per_s", speed, context->nmembers < 64 ? context->nmembers : 64);
    const uint64_t now = cx_clock_ns();
    cx_trace_span(launch->request.kernel->function->name, "plan", cx_trace_waits(context), now, now, &args);
}

/* A time between two events, where both are known. */
static void count_between(struct cx_trace_args *args, const char *name, uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns && to_ns)
        cx_trace_number(args, name, ((double)to_ns - (double)from_ns) / 1e3);
}

void cx_trace_package(const struct cx_launch *launch, const struct cx_part *part, uint64_t groups,
                      uint64_t start_ns, uint64_t end_ns)
{
    if (!cx_trace_on())
        return;
    struct cx_trace_args args = {.used = 0};
    cx_trace_count(&args, "groups", groups);
    cx_trace_count(&args, "launch", launch->base.base.id);
    cx_trace_count(&args, "device", part->member);
    if (part->note != CX_PART_NOTHING) {
        cx_trace_count(&args, "first", part->at);
        cx_trace_text(&args, "why", cx_part_note_text(part->note));
        count_between(&args, "asked_us_before", part->asked_ns, start_ns);
        count_between(&args, "noticed_us_after", end_ns, part->noticed_ns);
    }
    cx_trace_span(launch->request.kernel->function->name, "package",
                  cx_trace_worker(&launch->base.context->workers[part->member]), start_ns, end_ns, &args);
    cx_trace_busy(cx_trace_worker(&launch->base.context->workers[part->member]), start_ns, end_ns);
}

/* What devices did of a split launch, in percent, as a counter. */
static void trace_shares(struct cx_trace_args *args, const struct cx_launch *launch, uint64_t groups,
                         uint64_t at_ns)
{
    args->used = 0;
    for (unsigned p = 0; p < launch->outcome.nparts; p++) {
        const struct cx_part *part = &launch->outcome.parts[p];
        char name[24]; /* viewers show both: share of device 0 */
        snprintf(name, sizeof(name), "device %u", launch->base.context->workers[part->member].device->index);
        cx_trace_number(args, name, 100.0 * (double)part->groups / (double)groups);
    }
    cx_trace_counter("share of", at_ns, args);
}

static bool has_worked(const struct cx_part *part)
{
    return part->packages && part->first_ns && part->last_ns >= part->first_ns;
}

/* The numbers of those that worked, in their order. */
static void trace_parts(struct cx_trace_args *args, const char *name, const struct cx_launch *launch,
                        double (*number)(const struct cx_launch *launch, const struct cx_part *part))
{
    double value[CX_MEMBERS_MAX];
    unsigned n = 0;
    for (unsigned p = 0; p < launch->outcome.nparts && n < CX_MEMBERS_MAX; p++)
        if (has_worked(&launch->outcome.parts[p]))
            value[n++] = number(launch, &launch->outcome.parts[p]);
    cx_trace_numbers(args, name, value, n);
}

static double device_of(const struct cx_launch *launch, const struct cx_part *part)
{
    return launch->base.context->workers[part->member].device->index;
}

static double groups_of(const struct cx_launch *launch, const struct cx_part *part)
{
    return (double)part->groups;
}

static double units_of(const struct cx_launch *launch, const struct cx_part *part)
{
    return cx_launch_cpu_units(launch, part->member);
}

/* From its first start to its last end, without pauses. */
static double ms_of(const struct cx_launch *launch, const struct cx_part *part)
{
    const uint64_t ns = part->last_ns - part->first_ns;
    return (double)(part->busy_ns && part->busy_ns < ns ? part->busy_ns : ns) / 1e6;
}

static void trace_reason(struct cx_trace_args *args, const struct cx_launch *launch)
{
    char where[256];
    cx_summary_lines_text(where, sizeof(where), launch->decision.summary, launch->decision.line,
                          launch->decision.other_line, NULL);
    cx_trace_text(args, "reason", cx_launch_why(launch));
    cx_trace_text(args, "where", where);
}

void cx_trace_launch(const struct cx_launch *launch)
{
    if (!cx_trace_on())
        return;
    uint64_t start = UINT64_MAX, end = 0, groups = 0;
    unsigned n = 0, units = 0;
    struct cx_trace_args args = {.used = 0}; /* large: not cleared where there is no trace */
    for (unsigned p = 0; p < launch->outcome.nparts; p++) {
        const struct cx_part *part = &launch->outcome.parts[p];
        if (!has_worked(part))
            continue;
        start = part->first_ns < start ? part->first_ns : start;
        end = part->last_ns > end ? part->last_ns : end;
        groups += part->groups;
        units += cx_launch_cpu_units(launch, part->member);
        n++;
    }
    if (!n)
        return;
    cx_trace_count(&args, "launch", launch->base.base.id);
    cx_trace_flag(&args, "split", n > 1);
    if (n == 1)
        trace_reason(&args, launch);
    trace_parts(&args, "devices", launch, device_of);
    trace_parts(&args, "groups", launch, groups_of);
    trace_parts(&args, "ms", launch, ms_of);
    trace_parts(&args, "cpu_units", launch, units_of);
    if (n > 1 && units > cx_gain_cores())
        cx_trace_flag(&args, "share_cores", true);
    cx_trace_span(launch->request.kernel->function->name, "launch", cx_trace_launches(launch->base.context),
                  start, end, &args);
    if (n > 1 && groups)
        trace_shares(&args, launch, groups, end);
}

void cx_trace_merge(const struct cx_launch *launch, const struct cx_worker *worker, const char *step,
                    struct cx_trace_args *args, uint64_t start_ns, uint64_t end_ns)
{
    cx_trace_text(args, "kernel", launch->request.kernel->function->name);
    cx_trace_count(args, "launch", launch->base.base.id);
    cx_trace_span(step, "merge", cx_trace_worker(worker), start_ns, end_ns, args);
}
