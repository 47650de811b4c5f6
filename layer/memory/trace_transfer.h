/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells of transfers, on the row of the worker that did them. Nothing when COEXEC_TRACE is not
 * set. Thread-safe.
 */
#ifndef CX_LAYER_MEMORY_TRACE_TRANSFER_H
#define CX_LAYER_MEMORY_TRACE_TRANSFER_H

#include <stdint.h>

struct cx_transfer_list;
struct cx_worker;

/* Transfers that a worker did. */
void cx_trace_transfers(const struct cx_transfer_list *transfers, const struct cx_worker *worker,
                        uint64_t start_ns, uint64_t end_ns);

#endif
