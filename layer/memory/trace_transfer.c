/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of transfers. See trace_transfer.h.
 */
#include "layer/memory/trace_transfer.h"
#include "layer/memory/transfer.h"
#include "layer/report/trace.h"
#include "layer/timeline/trace_command.h"

void cx_trace_transfers(const struct cx_transfer_list *transfers, const struct cx_worker *worker,
                        uint64_t start_ns, uint64_t end_ns)
{
    if (!cx_trace_on() || !transfers->count)
        return;
    struct cx_trace_args args = {.used = 0};
    uint64_t bytes = 0, largest = 0;
    const struct cx_mem *root = NULL;
    for (unsigned i = 0; i < transfers->count; i++) {
        const struct cx_transfer_item *item = &transfers->item[i];
        bytes += item->hi - item->lo;
        root = item->hi - item->lo > largest ? item->root : root;
        largest = item->hi - item->lo > largest ? item->hi - item->lo : largest;
    }
    cx_trace_count(&args, "bytes", bytes);
    cx_trace_count(&args, "pieces", transfers->count);
    if (root)
        cx_trace_count(&args, "buffer", root->base.id);
    if (transfers->merges)
        cx_trace_text(&args, "for", "merge");
    if (transfers->source)
        cx_trace_text(&args, "from", transfers->source->device->name);
    cx_trace_span(transfers->source     ? "peer copy"
                  : transfers->slot_use ? "to slot"
                  : transfers->upload   ? "upload"
                                        : "download",
                  "transfer", cx_trace_worker(worker), start_ns, end_ns, &args);
    cx_trace_moved(bytes, end_ns);
}
