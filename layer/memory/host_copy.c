/* SPDX-License-Identifier: MIT */
/*
 * Copies between the program's memory and host copies. See host_copy.h.
 */
#include "layer/memory/host_copy.h"
#include "layer/base/copy.h"
#include "layer/memory/coherence_map.h"
#include "layer/report/transfer_counts.h"
#include "layer/timeline/worker.h"

unsigned cx_host_copy_threads(const struct cx_context *context)
{
    long threads = 0;
    const long quarter = cx_copy_cores() / 4;
    for (unsigned m = 0; m < context->nmembers; m++)
        threads += context->workers[m].place == CX_PLACE_HOST;
    threads = quarter > threads ? quarter : threads;
    return threads < 1 ? 1 : threads > CX_COPY_THREADS ? CX_COPY_THREADS : (unsigned)threads;
}

void cx_host_copy(const struct cx_context *context, void *to, const void *from, size_t bytes)
{
    cx_transfer_counts_add(CX_ROUTE_HOST, true, bytes);
    cx_copy_by(cx_host_copy_threads(context), to, from, bytes);
}
