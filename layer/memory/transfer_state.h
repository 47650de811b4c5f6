/* SPDX-License-Identifier: MIT */
/*
 * What moving bytes keeps with each member's worker: opaque to timeline/, made when the context is assembled.
 * Previous: worker.h. Next: transport_ring.c, device_copy.h, transfer.h.
 */
#ifndef CX_LAYER_MEMORY_TRANSFER_STATE_H
#define CX_LAYER_MEMORY_TRANSFER_STATE_H

#include "layer/timeline/worker.h"

struct cx_ring;
struct cx_copier;

/* By whoever pumps the worker, but for what is atomic. */
struct cx_transfer_state {
    struct cx_copier *copier;         /* device_copy.c: NULL until needed */
    struct cx_ring *ring;             /* transport_ring.c: NULL until needed */
    uint64_t ring_from;               /* a transfer of so many bytes may go through it; constant */
    uint64_t pageable;                /* bytes moved that could have gone through it */
    atomic_bool ring_failed;          /* no pinned memory for one */
    atomic_uint_fast64_t upload_rate; /* bytes/s of long uploads measured here (transfer.c); 0: none so far */
    atomic_uint_fast64_t peer_rate;   /* ..., of copies from peers (transport_bounce.c, transport_peer.c) */
};

/* Before the worker has jobs. False: no memory. Called by api/context.c. */
bool cx_transfer_state_begin(struct cx_worker *worker);
/* The worker ended: gives back what it used, if it began. Called by api/context.c. */
void cx_transfer_state_end(struct cx_worker *worker);

/* Bytes/s of long uploads to the member; 0: none was measured. Any thread. Called by plan/plan_size.c. */
static inline uint64_t cx_transfer_upload_rate(const struct cx_worker *worker)
{
    return worker->transfers ? atomic_load(&worker->transfers->upload_rate) : 0;
}

/* Likewise of long copies from peers. Called by plan/plan_size.c. */
static inline uint64_t cx_transfer_peer_rate(const struct cx_worker *worker)
{
    return worker->transfers ? atomic_load(&worker->transfers->peer_rate) : 0;
}

/* So many bytes took that long: corrects a rate of the worker's. Whether they are enough to tell:
 * cx_transfer_tells. By whoever pumps the worker. Called by transfer.c and transport_peer.c. */
bool cx_transfer_tells(uint64_t bytes);
void cx_transfer_rate_tell(atomic_uint_fast64_t *rate, uint64_t bytes, uint64_t ns);

#endif
