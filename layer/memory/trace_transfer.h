/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of transfers, on the row of the worker that did them. Nothing when COEXEC_TRACE is not set.
 * Thread-safe.
 */
#ifndef CX_LAYER_MEMORY_TRACE_TRANSFER_H
#define CX_LAYER_MEMORY_TRACE_TRANSFER_H

#include <stdint.h>

struct cx_transfer_list;
struct cx_worker;

/* Transfers that a worker did. Called by transfer.c, launch/split_inputs.c, launch/split_upload.c and
 * launch/write_back.c. */
void cx_trace_transfers(const struct cx_transfer_list *transfers, const struct cx_worker *worker,
                        uint64_t start_ns, uint64_t end_ns);

#endif
