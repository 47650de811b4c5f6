/* SPDX-License-Identifier: MIT */
/*
 * A context's rows, and what the trace tells of commands and waits. See trace_command.h.
 */
#include "layer/timeline/trace_command.h"
#include "layer/base/log.h"
#include "layer/report/trace.h"
#include "layer/timeline/queue.h"
#include "layer/timeline/worker.h"

#include <stdio.h>

/* A context's rows behind those of its workers. */
enum { WAITS, LAUNCHES, ANALYSES, BUILDS };

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

unsigned cx_trace_waits(const struct cx_context *context)
{
    return row_behind(context, WAITS);
}

unsigned cx_trace_launches(const struct cx_context *context)
{
    return row_behind(context, LAUNCHES);
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
        const struct cx_real_device *device = context->workers[m].device;
        char name[160];
        snprintf(name, sizeof(name), "device %u: %.140s", device->index, device->name);
        cx_trace_name(context->trace_row + m, name);
        snprintf(name, sizeof(name), "builds for device %u", device->index);
        cx_trace_name(cx_trace_builds(context, m), name);
    }
    cx_trace_name(context->trace_row + context->nmembers, "host: copies and merges");
    cx_trace_name(row_behind(context, WAITS), "program: waits, and decisions about launches");
    cx_trace_name(row_behind(context, LAUNCHES), "launches: split or whole, and why");
    cx_trace_name(row_behind(context, ANALYSES), "analyses of kernels");
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

static const char *type_name(cl_command_type type)
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
    const uint64_t start = atomic_load(&command->times.start_ns), end = atomic_load(&command->times.end_ns);
    if (!cx_trace_on() || !command->queue || !start)
        return;
    struct cx_trace_args args = {.used = 0};
    cx_trace_count(&args, "command", command->base.id);
    cx_trace_count(&args, "queue", command->queue->base.id);
    cx_trace_number(&args, "queued_us_before",
                    ((double)start - (double)atomic_load(&command->times.queued_ns)) / 1e3);
    if (atomic_load(&command->error) != CL_SUCCESS)
        cx_trace_text(&args, "error", cx_cl_name(atomic_load(&command->error)));
    cx_trace_span(command->name ? command->name : type_name(command->type), "command",
                  command->queue->trace_row, start, end, &args);
}

void cx_trace_wait(const struct cx_context *context, const char *what, uint64_t id, uint64_t since_ns)
{
    if (!since_ns || !cx_trace_on())
        return;
    struct cx_trace_args args = {.used = 0};
    cx_trace_count(&args, what, id);
    cx_trace_span("wait", "wait", cx_trace_waits(context), since_ns, cx_clock_ns(), &args);
}
