/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of builds. See trace_build.h.
 */
#include "layer/program/trace_build.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/report/trace.h"
#include "layer/timeline/command.h"
#include "layer/timeline/trace_command.h"
#include "layer/timeline/worker.h"

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
