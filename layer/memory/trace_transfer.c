/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells of transfers. See trace_transfer.h.
 */
#include "layer/memory/trace_transfer.h"
#include "layer/memory/transfer.h"
#include "layer/report/trace_file.h"
#include "layer/timeline/trace_command.h"

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
