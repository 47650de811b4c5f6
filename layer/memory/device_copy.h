/* SPDX-License-Identifier: MIT */
/*
 * Copies within one device's memory: by the driver's own command, or by a kernel of ours where the driver's
 * costs the thread that enqueues it more (COEXEC_DEBUG=device_copy). NVIDIA's clEnqueueCopyBuffer takes 19 us
 * in a queue with profiling, a launch 6 (docs/benchmarks.md), and programs that make thousands of both are
 * bound by that. Called by whoever pumps. Previous stage: enqueue_transfer.c. Next: the driver.
 */
#ifndef CX_LAYER_MEMORY_DEVICE_COPY_H
#define CX_LAYER_MEMORY_DEVICE_COPY_H

#include "layer/timeline/worker.h"

/* Enqueues a copy on worker->queue between real buffers of that worker; the ranges do not overlap. event: of
 * cx_job_event. Called by api/enqueue_transfer.c. */
cl_int cx_device_copy(struct cx_worker *worker, cl_mem from, uint64_t from_lo, cl_mem to, uint64_t lo,
                      uint64_t bytes, cl_event *event);
/* Releases the worker's kernel, before its context; a build under way ends by itself. Called by
 * transfer_state.c. */
void cx_device_copy_release(struct cx_worker *worker);

#endif
