/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of analyses. See trace_analysis.h.
 */
#include "layer/source/trace_analysis.h"
#include "layer/base/clock.h"
#include "layer/report/trace.h"

void cx_trace_analysis(unsigned row, const char *device, const char *options, bool cached, const char *result,
                       uint64_t since_ns)
{
    struct cx_trace_args args = {.used = 0};
    if (!since_ns || !cx_trace_on())
        return;
    const uint64_t now_ns = cx_clock_ns();
    cx_trace_text(&args, "device", device);
    cx_trace_text(&args, "options", options);
    cx_trace_number(&args, "seconds", (double)(now_ns - since_ns) * 1e-9);
    cx_trace_flag(&args, "cached", cached);
    cx_trace_text(&args, "result", result);
    cx_trace_span("analysis", "analysis", row, since_ns, now_ns, &args);
}
