/* SPDX-License-Identifier: MIT */
/*
 * The trace file: one event a line, written as it happens. Beside packages and transfers, which their makers
 * report, what is said of commands, waits and decisions.
 */
#include "layer/trace.h"
#include "layer/log.h"
#include "layer/options.h"
#include "layer/plan.h"
#include "layer/queue.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static FILE *file;

static void open_file(void)
{
    const char *path = cx_options_get()->trace;
    if (!path || !*path)
        return;
    file = fopen(path, "we");
    if (!file) {
        cx_error(CX_TOPIC_OPTIONS, "COEXEC_TRACE=%s: cannot be written; no trace", path);
        return;
    }
    setvbuf(file, NULL, _IOLBF, 1 << 16);
    fprintf(file, "[\n");
}

bool cx_trace_on(void)
{
    pthread_once(&once, open_file);
    return file != NULL;
}

/* Kernel and device names go into JSON strings. */
static void escape(char *out, size_t room, const char *text)
{
    size_t n = 0;
    for (; *text && n + 7 < room; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            out[n++] = '\\';
        if (c < 0x20)
            n += (size_t)snprintf(out + n, room - n, "\\u%04x", c);
        else
            out[n++] = (char)c;
    }
    out[n] = 0;
}

void cx_trace_span(const char *name, const char *category, unsigned row, uint64_t start_ns, uint64_t end_ns,
                   const char *details)
{
    char safe[256];
    if (!cx_trace_on())
        return;
    escape(safe, sizeof(safe), name);
    fprintf(file,
            "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
            "\"args\":{%s}},\n",
            safe, category, (int)getpid(), row, (double)start_ns / 1e3,
            end_ns > start_ns ? (double)(end_ns - start_ns) / 1e3 : 0.0, details ? details : "");
}

void cx_trace_row(unsigned row, const char *name)
{
    char safe[256];
    if (!cx_trace_on())
        return;
    escape(safe, sizeof(safe), name);
    fprintf(file,
            "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":\"%s\"}},\n",
            (int)getpid(), row, safe);
}

static const char *command_name(cl_command_type type)
{
    static const struct {
        cl_command_type type;
        const char *name;
    } names[] = {
        {CL_COMMAND_NDRANGE_KERNEL, "kernel"},
        {CL_COMMAND_TASK, "task"},
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
        {CL_COMMAND_FILL_IMAGE, "fill image"},
        {CL_COMMAND_MIGRATE_MEM_OBJECTS, "migrate"},
        {CL_COMMAND_MARKER, "marker"},
        {CL_COMMAND_BARRIER, "barrier"},
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
    char details[96];
    if (!cx_trace_on() || !command->queue || !start)
        return;
    snprintf(details, sizeof(details), "\"command\":%llu,\"queue\":%llu,\"queued\":%.3f",
             (unsigned long long)command->base.id, (unsigned long long)command->queue->base.id,
             (double)atomic_load(&command->queued_ns) / 1e3);
    cx_trace_span(
        launch ? ((const struct cx_launch *)command)->kernel->function->name : command_name(command->type),
        "command", cx_trace_queue(command->context->nmembers, command->queue->base.id), start, end, details);
}

void cx_trace_wait(unsigned nmembers, uint64_t since_ns)
{
    if (since_ns && cx_trace_on())
        cx_trace_span("wait", "wait", cx_trace_waits(nmembers), since_ns, cx_clock_ns(), NULL);
}

void cx_trace_plan(const struct cx_launch *launch, bool split)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_learned *learned = launch->kernel->function->learned;
    char details[1024], reason[256];
    if (!cx_trace_on())
        return;
    escape(reason, sizeof(reason), launch->reason ? launch->reason : "");
    int n = snprintf(details, sizeof(details),
                     "\"launch\":%llu,\"split\":%s,\"reason\":\"%s\",\"groups\":%llu,\"groups_per_s\":[",
                     (unsigned long long)launch->base.base.id, split ? "true" : "false", reason,
                     (unsigned long long)(launch->geometry.local[0] ? cx_launch_groups(launch) : 0));
    for (unsigned m = 0; m < context->nmembers && n > 0 && (size_t)n + 32 < sizeof(details); m++)
        n += snprintf(details + n, sizeof(details) - (size_t)n, "%s%.6g", m ? "," : "",
                      learned ? cx_speed_record_speed(&learned->records[m]) : 0.0);
    if (n > 0 && (size_t)n + 2 < sizeof(details))
        strcpy(details + n, "]");
    const uint64_t now = cx_clock_ns();
    cx_trace_span(launch->kernel->function->name, "plan", cx_trace_waits(context->nmembers), now, now,
                  details);
}
