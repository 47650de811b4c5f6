/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells of commands, waits, decisions and builds. Packages, transfers and merges are told by
 * those who make them. Next stage: trace_file.c.
 */
#include "layer/report/trace.h"
#include "layer/api/command_buffer_api.h"
#include "layer/base/log.h"
#include "layer/memory/transfer.h"
#include "layer/base/options.h"
#include "layer/plan/plan.h"
#include "layer/program/program.h"
#include "layer/timeline/queue.h"

#include <stdio.h>

/* A context's rows behind those of its workers. */
enum { WAITS, ANALYSES, BUILDS };

static unsigned row_behind(const struct cx_context *context, unsigned number)
{
    return context->trace_row + cx_context_timelines(context) + number;
}

unsigned cx_trace_worker(const struct cx_worker *worker)
{
    return worker->context->trace_row + worker->index;
}

unsigned cx_trace_builds(const struct cx_context *context, unsigned member)
{
    return row_behind(context, BUILDS) + member;
}

unsigned cx_trace_analyses(const struct cx_context *context)
{
    return row_behind(context, ANALYSES);
}

void cx_trace_context(struct cx_context *context)
{
    if (!cx_trace_on())
        return;
    context->trace_row = cx_trace_rows(cx_context_timelines(context) + BUILDS + context->nmembers);
    for (unsigned m = 0; m < context->nmembers; m++) {
        char name[160];
        snprintf(name, sizeof(name), "builds: %.140s", context->workers[m].device->name);
        cx_trace_name(context->trace_row + m, context->workers[m].device->name);
        cx_trace_name(cx_trace_builds(context, m), name);
    }
    cx_trace_name(context->trace_row + context->nmembers, "host");
    cx_trace_name(row_behind(context, WAITS), "program: waits, plans");
    cx_trace_name(row_behind(context, ANALYSES), "analyses");
}

void cx_trace_queue(struct cx_queue *queue)
{
    char name[40];
    if (!cx_trace_on())
        return;
    snprintf(name, sizeof(name), "queue %llu", (unsigned long long)queue->base.id);
    queue->trace_row = cx_trace_rows(1);
    cx_trace_name(queue->trace_row, name);
}

static const char *command_name(cl_command_type type)
{
    static const struct {
        cl_command_type type;
        const char *name;
    } names[] = {
        {CL_COMMAND_NDRANGE_KERNEL, "kernel"},
        {CL_COMMAND_TASK, "task"},
        {CL_COMMAND_NATIVE_KERNEL, "native kernel"},
        {CL_COMMAND_READ_BUFFER, "read"},
        {CL_COMMAND_WRITE_BUFFER, "write"},
        {CL_COMMAND_COPY_BUFFER, "copy"},
        {CL_COMMAND_FILL_BUFFER, "fill"},
        {CL_COMMAND_READ_BUFFER_RECT, "read rectangle"},
        {CL_COMMAND_WRITE_BUFFER_RECT, "write rectangle"},
        {CL_COMMAND_COPY_BUFFER_RECT, "copy rectangle"},
        {CL_COMMAND_COMMAND_BUFFER_KHR, "command buffer"},
        {CL_COMMAND_MAP_BUFFER, "map"},
        {CL_COMMAND_MAP_IMAGE, "map image"},
        {CL_COMMAND_UNMAP_MEM_OBJECT, "unmap"},
        {CL_COMMAND_READ_IMAGE, "read image"},
        {CL_COMMAND_WRITE_IMAGE, "write image"},
        {CL_COMMAND_COPY_IMAGE, "copy image"},
        {CL_COMMAND_COPY_IMAGE_TO_BUFFER, "copy image to buffer"},
        {CL_COMMAND_COPY_BUFFER_TO_IMAGE, "copy buffer to image"},
        {CL_COMMAND_FILL_IMAGE, "fill image"},
        {CL_COMMAND_MIGRATE_MEM_OBJECTS, "migrate"},
        {CL_COMMAND_MARKER, "marker"},
        {CL_COMMAND_BARRIER, "barrier"},
        {CL_COMMAND_SVM_FREE, "SVM free"},
        {CL_COMMAND_SVM_MEMCPY, "SVM copy"},
        {CL_COMMAND_SVM_MEMFILL, "SVM fill"},
        {CL_COMMAND_SVM_MAP, "SVM map"},
        {CL_COMMAND_SVM_UNMAP, "SVM unmap"},
        {CL_COMMAND_SVM_MIGRATE_MEM, "SVM migrate"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].type == type)
            return names[i].name;
    return "command";
}

void cx_trace_command(const struct cx_command *command)
{
    const uint64_t start = atomic_load(&command->start_ns), end = atomic_load(&command->end_ns);
    const bool launch = command->type == CL_COMMAND_NDRANGE_KERNEL || command->type == CL_COMMAND_TASK;
    if (!cx_trace_on() || !command->queue || !start)
        return;
    struct cx_trace_args args = {.used = 0};
    cx_trace_count(&args, "command", command->base.id);
    cx_trace_count(&args, "queue", command->queue->base.id);
    cx_trace_number(&args, "queued_us_before",
                    ((double)start - (double)atomic_load(&command->queued_ns)) / 1e3);
    if (atomic_load(&command->error) != CL_SUCCESS)
        cx_trace_text(&args, "error", cx_cl_name(atomic_load(&command->error)));
    cx_trace_span(launch ? ((const struct cx_launch *)command)->kernel->function->name
                         : command_name(command->type),
                  "command", command->queue->trace_row, start, end, &args);
}

void cx_trace_wait(const struct cx_context *context, const char *what, uint64_t id, uint64_t since_ns)
{
    if (!since_ns || !cx_trace_on())
        return;
    struct cx_trace_args args = {.used = 0};
    cx_trace_count(&args, what, id);
    cx_trace_span("wait", "wait", row_behind(context, WAITS), since_ns, cx_clock_ns(), &args);
}

void cx_trace_plan(const struct cx_launch *launch, bool split)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_learned *learned = launch->kernel->function->learned;
    if (!cx_trace_on())
        return;
    struct cx_trace_args args = {.used = 0};
    double speed[64] = {0};
    for (unsigned m = 0; learned && m < context->nmembers && m < 64; m++)
        speed[m] = cx_speed_record_speed(&learned->records[m]);
    cx_trace_count(&args, "launch", launch->base.base.id);
    cx_trace_flag(&args, "split", split);
    cx_trace_text(&args, "reason", launch->reason ? launch->reason : "");
    const char *file = launch->summary ? cx_place_file(launch->summary, launch->line) : NULL;
    if (launch->line)
        cx_trace_count(&args, "line", cx_place_line(launch->line));
    if (launch->other_line)
        cx_trace_count(&args, "other_line", cx_place_line(launch->other_line));
    if (file)
        cx_trace_text(&args, "file", file);
    cx_trace_count(&args, "groups", launch->geometry.local[0] ? cx_launch_groups(launch) : 0);
    cx_trace_numbers(&args, "groups_per_s", speed, context->nmembers < 64 ? context->nmembers : 64);
    const uint64_t now = cx_clock_ns();
    cx_trace_span(launch->kernel->function->name, "plan", row_behind(context, WAITS), now, now, &args);
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
    if (part->why) {
        cx_trace_count(&args, "first", part->at);
        cx_trace_text(&args, "why", part->why);
        count_between(&args, "asked_us_before", part->asked_ns, start_ns);
        count_between(&args, "noticed_us_after", end_ns, part->noticed_ns);
    }
    cx_trace_span(launch->kernel->function->name, "package",
                  cx_trace_worker(&launch->base.context->workers[part->member]), start_ns, end_ns, &args);
}

void cx_trace_merge(const struct cx_launch *launch, const struct cx_worker *worker, const char *step,
                    struct cx_trace_args *args, uint64_t start_ns, uint64_t end_ns)
{
    cx_trace_text(args, "kernel", launch->kernel->function->name);
    cx_trace_count(args, "launch", launch->base.base.id);
    cx_trace_span(step, "merge", cx_trace_worker(worker), start_ns, end_ns, args);
}

void cx_trace_runs(const struct cx_runs *runs, const struct cx_worker *worker, uint64_t start_ns,
                   uint64_t end_ns)
{
    if (!cx_trace_on() || !runs->count)
        return;
    struct cx_trace_args args = {.used = 0};
    uint64_t bytes = 0, largest = 0;
    const struct cx_mem *root = NULL;
    for (unsigned i = 0; i < runs->count; i++) {
        const struct cx_run *run = &runs->run[i];
        bytes += run->hi - run->lo;
        root = run->hi - run->lo > largest ? run->root : root;
        largest = run->hi - run->lo > largest ? run->hi - run->lo : largest;
    }
    cx_trace_count(&args, "bytes", bytes);
    cx_trace_count(&args, "pieces", runs->count);
    if (root)
        cx_trace_count(&args, "buffer", root->base.id);
    if (runs->merges)
        cx_trace_text(&args, "for", "merge");
    if (runs->source)
        cx_trace_text(&args, "from", runs->source->device->name);
    cx_trace_span(runs->source   ? "peer copy"
                  : runs->parcel ? "to slot"
                  : runs->upload ? "upload"
                                 : "download",
                  "transfer", cx_trace_worker(worker), start_ns, end_ns, &args);
}

void cx_trace_build(const struct cx_program *program, unsigned member, const char *name, const char *from,
                    const char *options, int error, uint64_t since_ns)
{
    const uint64_t now = cx_clock_ns();
    struct cx_trace_args args = {.used = 0};
    if (!since_ns || !cx_trace_on())
        return;
    cx_trace_count(&args, "program", program->base.id);
    cx_trace_text(&args, "device", program->context->workers[member].device->name);
    cx_trace_text(&args, "from", from);
    cx_trace_text(&args, "options", options ? options : "");
    cx_trace_number(&args, "seconds", (double)(now - since_ns) * 1e-9);
    cx_trace_text(&args, "result", cx_cl_name(error));
    cx_trace_span(name, "build", cx_trace_builds(program->context, member), since_ns, now, &args);
}

void cx_trace_analysis(unsigned row, const char *device, const char *options, bool cached, const char *result,
                       uint64_t since_ns)
{
    const uint64_t now = cx_clock_ns();
    struct cx_trace_args args = {.used = 0};
    if (!since_ns || !cx_trace_on())
        return;
    cx_trace_text(&args, "device", device);
    cx_trace_text(&args, "options", options);
    cx_trace_number(&args, "seconds", (double)(now - since_ns) * 1e-9);
    cx_trace_flag(&args, "cached", cached);
    cx_trace_text(&args, "result", result);
    cx_trace_span("analysis", "analysis", row, since_ns, now, &args);
}
