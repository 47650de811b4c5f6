/* SPDX-License-Identifier: MIT */
/*
 * Pinning host copies. See pin.h.
 */
#include "layer/buffer.h"
#include "layer/log.h"
#include "layer/worker.h"

#include <unistd.h>

enum { LEAST_BYTES = 1 << 20 };

static atomic_uint_fast64_t pinned_bytes; /* by all buffers */

/* Whether pinning that much more leaves three quarters of the memory to others. */
static bool fits(uint64_t bytes)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (atomic_fetch_add(&pinned_bytes, bytes) + bytes <= memory / 4)
        return true;
    atomic_fetch_sub(&pinned_bytes, bytes);
    return false;
}

static bool register_host(struct cx_mem *root, struct cx_worker *worker)
{
    struct cx_pin *pin = &root->pin;
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_int error;
    pin->device = worker->device;
    pin->registered = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                         root->size, root->host, &error);
    if (error != CL_SUCCESS)
        return false;
    pin->queue = cl->clCreateCommandQueue(worker->real_context, worker->device->id, 0, &error);
    if (error != CL_SUCCESS)
        return false;
    /* invalidating: the registered buffer has no contents of its own that could overwrite the host copy */
    pin->mapped = cl->clEnqueueMapBuffer(pin->queue, pin->registered, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                         0, root->size, 0, NULL, NULL, &error);
    return error == CL_SUCCESS;
}

void cx_pin_moved(struct cx_mem *root, struct cx_worker *worker, uint64_t bytes)
{
    struct cx_pin *pin = &root->pin;
    uint64_t moved = atomic_fetch_add_explicit(&pin->moved, bytes, memory_order_relaxed) + bytes;
    if (moved <= root->size || root->size < LEAST_BYTES || !root->host_is_ours ||
        !(worker->device->type & CL_DEVICE_TYPE_GPU) || atomic_exchange(&pin->taken, true))
        return;
    if (!fits(root->size))
        return;
    pin->bytes = root->size;
    bool ok = register_host(root, worker);
    cx_debug(CX_TOPIC_DATA, "host copy of buffer %llu (%zu bytes) %s by %s",
             (unsigned long long)root->base.id, root->size, ok ? "pinned" : "cannot be pinned",
             worker->device->name);
}

void cx_pin_finish(struct cx_pin *pin)
{
    if (pin->mapped) {
        pin->device->cl->clEnqueueUnmapMemObject(pin->queue, pin->registered, pin->mapped, 0, NULL, NULL);
        pin->device->cl->clFinish(pin->queue);
    }
    if (pin->queue)
        pin->device->cl->clReleaseCommandQueue(pin->queue);
    if (pin->registered)
        pin->device->cl->clReleaseMemObject(pin->registered);
    atomic_fetch_sub(&pinned_bytes, pin->bytes);
    pin->bytes = 0;
}
