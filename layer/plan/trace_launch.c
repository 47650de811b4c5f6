/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of launches. See trace_launch.h.
 */
#include "layer/plan/trace_launch.h"
#include "layer/plan/plan.h"
#include "layer/program/program.h"
#include "layer/timeline/command.h"
#include "layer/timeline/trace_command.h"
#include "layer/timeline/worker.h"

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
    const char *file =
        launch->decision.summary ? cx_place_file(launch->decision.summary, launch->decision.line) : NULL;
    if (launch->decision.line)
        cx_trace_count(&args, "line", cx_place_line(launch->decision.line));
    if (launch->decision.other_line)
        cx_trace_count(&args, "other_line", cx_place_line(launch->decision.other_line));
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
}

void cx_trace_merge(const struct cx_launch *launch, const struct cx_worker *worker, const char *step,
                    struct cx_trace_args *args, uint64_t start_ns, uint64_t end_ns)
{
    cx_trace_text(args, "kernel", launch->request.kernel->function->name);
    cx_trace_count(args, "launch", launch->base.base.id);
    cx_trace_span(step, "merge", cx_trace_worker(worker), start_ns, end_ns, args);
}
