/* SPDX-License-Identifier: MIT */
/*
 * The ring transport: large runs between pageable host memory (the program's own, or host copies not pinned)
 * and a device move through a ring of pinned chunks that several threads fill and drain while the device's
 * copy engine works on the others. A driver's own path through pageable memory is a third as fast
 * (docs/benchmarks.md has the figures).
 *
 * It copies in the thread that calls, so its jobs are never pumped by the program's (cx_job.waits).
 * COEXEC_STAGING sets from which size on it is used. Previous stage: transfer.c.
 */
#ifndef CX_LAYER_MEMORY_TRANSPORT_RING_H
#define CX_LAYER_MEMORY_TRANSPORT_RING_H

#include "layer/memory/transport.h"

extern const struct cx_transport cx_transport_ring;

struct cx_pages;

/* Whether a run of so many bytes between host memory (of these pages, or NULL: the program's) and this
 * worker's own memory of a root goes through the ring. Counts what goes another way: pinned memory is made
 * once so much has moved that it pays. By whoever pumps. */
bool cx_ring_wanted(struct cx_worker *worker, const struct cx_pages *pages, uint64_t bytes);
/* Whether a transfer of that size may come to go through the ring: then its job must not run in the program's
 * thread. Any thread. */
bool cx_ring_possible(const struct cx_worker *worker, uint64_t bytes);
/* Of the transfer through the ring that was started last, and taken by the driver: a reference to the event
 * of its first chunk (`first` may be NULL), and those to the events of its other chunks that are not known to
 * be over but for the last one's, in memory that is the caller's then. Without memory for these it waits for
 * them, and gives the first error. By whoever pumps. */
cl_int cx_ring_tell(struct cx_worker *worker, cl_event *first, cl_event **chunks, unsigned *n);
/* Gives the pinned chunks back; nothing is in flight. */
void cx_ring_release(struct cx_worker *worker);

#endif
