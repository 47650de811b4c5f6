/* SPDX-License-Identifier: MIT */
/*
 * The ring transport: large runs between pageable host memory (the program's own, or host copies not pinned)
 * and a device move through a ring of pinned chunks that several threads fill and drain while the device's
 * copy engine works on the others. A driver's own path through pageable memory is a third as fast
 * (docs/benchmarks.md has the figures).
 *
 * It copies in the thread that calls, so its jobs are never pumped by the program's (cx_job.waits).
 * COEXEC_STAGING sets from which size on it is used. Previous stage: move.c.
 */
#ifndef CX_LAYER_TRANSPORT_RING_H
#define CX_LAYER_TRANSPORT_RING_H

#include "layer/transport.h"

extern const struct cx_transport cx_transport_ring;

struct cx_mem;

/* Whether a run of so many bytes between host memory and this worker's own memory of `root` goes through the
 * ring. Counts what goes another way: pinned memory is made once so much has moved that it pays. Any thread.
 */
bool cx_ring_wanted(struct cx_worker *worker, const struct cx_mem *root, const unsigned char *host,
                    uint64_t bytes);
/* Whether a transfer of that size may come to go through the ring: then its job must not run in the program's
 * thread. Any thread. */
bool cx_ring_possible(const struct cx_worker *worker, uint64_t bytes);
/* Gives the pinned chunks back; nothing is in flight. */
void cx_ring_release(struct cx_worker *worker);

#endif
