/* SPDX-License-Identifier: MIT */
/*
 * The state of transfers of each worker: makes and frees it. See transfer_state.h.
 */
#include "layer/memory/transfer_state.h"
#include "layer/memory/device_copy.h"
#include "layer/memory/transport.h"

#include <stdlib.h>

bool cx_transfer_state_begin(struct cx_worker *worker)
{
    worker->transfers = calloc(1, sizeof(*worker->transfers));
    if (worker->transfers)
        worker->transfers->ring_from = cx_transport_ring_from(worker);
    return worker->transfers != NULL;
}

void cx_transfer_state_end(struct cx_worker *worker)
{
    if (!worker->transfers)
        return;
    cx_device_copy_release(worker);
    cx_transports_release(worker);
    free(worker->transfers);
    worker->transfers = NULL;
}

/* Transfers from that many bytes on tell how fast they go. */
#define TELLING_BYTES (UINT64_C(4) << 20)
/* How much of the rate a slower one makes up: a busy machine slows down some, nothing makes one faster. */
#define SLOWER 0.25

bool cx_transfer_tells(uint64_t bytes)
{
    return bytes >= TELLING_BYTES;
}

void cx_transfer_rate_tell(atomic_uint_fast64_t *rate, uint64_t bytes, uint64_t ns)
{
    const double old = (double)atomic_load(rate), new = (double)bytes * 1e9 / (double)(ns + 1);
    atomic_store(rate, (uint64_t)(new < old ? old + SLOWER *(new - old) : new));
}
