/* SPDX-License-Identifier: MIT */
/*
 * Decides when host copies are pinned. See pin_policy.h.
 */
#include "layer/memory/buffer.h"
#include "layer/base/log.h"
#include "layer/timeline/worker.h"

enum { LEAST_BYTES = 1 << 20, LEAST_TIMES = 2 };

void cx_pin_moved(struct cx_mem *root, struct cx_worker *worker, uint64_t bytes)
{
    struct cx_pin *pin = &root->storage->pin;
    bool again;
    uint64_t moved = atomic_fetch_add_explicit(&pin->moved, bytes, memory_order_relaxed) + bytes;
    if (moved <= LEAST_TIMES * (uint64_t)root->size || root->size < LEAST_BYTES || !root->storage->pages ||
        atomic_load(&root->storage->pages->pinned) || !(worker->device->type & CL_DEVICE_TYPE_GPU) ||
        moved < atomic_load(&pin->wait) || atomic_exchange(&pin->taken, true))
        return;
    bool ok = cx_pinned_pool_pin(root->storage->pages, worker->real_context, worker->device, &again);
    cx_debug(CX_TOPIC_DATA, "host copy of buffer %llu (%zu bytes) %s by %s",
             (unsigned long long)root->base.id, root->size,
             ok      ? "pinned"
             : again ? "not pinned, as the bound is reached,"
                     : "cannot be pinned",
             worker->device->name);
    if (!ok && again) {
        atomic_store(&pin->wait, 2 * moved);
        atomic_store(&pin->taken, false);
    }
}
