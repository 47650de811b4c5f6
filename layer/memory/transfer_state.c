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
