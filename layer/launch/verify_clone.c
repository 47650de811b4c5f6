/* SPDX-License-Identifier: MIT */
/* Copies of a launch's buffers on the member that runs it once more. See verify_inside.h. */
#include "layer/base/host_pages.h"
#include "layer/launch/verify_inside.h"
#include "layer/memory/image.h"
#include "layer/memory/svm.h"
#include "layer/memory/transfer.h"
#include "layer/memory/transport.h"

#include <stdlib.h>
#include <string.h>

/* All of an image's texels, between a clone and memory laid out like the host copy. */
static cl_int copy_texels(struct cx_worker *worker, const struct cx_verify_copy *copy, unsigned char *host,
                          bool in)
{
    const struct cx_image *image = copy->root->image;
    const struct cx_rows rows = {.count = 1};
    size_t start, end = cx_image_box_end(image, 0, copy->root->size, &start);
    cl_event event = NULL;
    cl_int error = in ? cx_transport_image_upload(worker, image, copy->clone, 0, host, end, &rows, &event)
                      : cx_transport_image_download(worker, image, copy->clone, 0, host, end, &rows, &event);
    if (error != CL_SUCCESS)
        return error;
    error = cx_worker_wait_event(worker, event);
    worker->device->cl->clReleaseEvent(event);
    return error;
}

static cl_int make_clone(struct cx_verify_copy *copy, struct cx_worker *worker)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t size = (size_t)(copy->hi - copy->lo);
    unsigned char *from = copy->before ? copy->before : copy->root->storage->host + copy->lo;
    cl_int error;
    const bool owner = copy->root->storage->svm && copy->root->storage->svm->owner == worker->index;
    if (copy->root->storage->svm && /* pointers into it are aligned to nothing */
        (worker->device->probe.in_place || (owner && worker->device->type & CL_DEVICE_TYPE_CPU)))
        copy->memory = aligned_alloc(4096, (size + cx_host_pages_margin(size) + 4095) & ~(size_t)4095);
    copy->clone = copy->root->image ? cx_image_make(copy->root, worker->index, NULL, NULL, &error)
                  : copy->memory
                      ? cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                           size, copy->memory, &error)
                      : cx_mem_make_own(worker, size, &error);
    if (error != CL_SUCCESS)
        return error;
    if (copy->root->image && copy->whole) /* nobody writes what lies between the rows */
        memcpy(copy->whole, from, size);
    return copy->root->image
               ? copy_texels(worker, copy, from, true)
               : cl->clEnqueueWriteBuffer(worker->queue, copy->clone, CL_TRUE, 0, size, from, 0, NULL, NULL);
}

static cl_int read_clone(const struct cx_verify_copy *copy, struct cx_worker *worker, unsigned char *to)
{
    if (copy->root->image)
        return copy_texels(worker, copy, to, false);
    return worker->device->cl->clEnqueueReadBuffer(worker->queue, copy->clone, CL_TRUE, 0,
                                                   (size_t)(copy->hi - copy->lo), to, 0, NULL, NULL);
}

bool cx_verify_clones_make(struct cx_verify *verify, struct cx_worker *worker)
{
    for (unsigned c = 0; c < verify->ncopies; c++)
        if (!cx_verify_went(verify, make_clone(&verify->copy[c], worker), "copying its buffers fails"))
            return false;
    return true;
}

/* An argument's window on the clone of its root. */
static cl_mem make_window(const struct cx_verify_copy *copy, const struct cx_mem *mem,
                          const struct cx_worker *worker, cl_int *error)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const cl_buffer_region region = {mem->origin - copy->lo, mem->size};
    if (copy->memory)
        return cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, mem->size,
                                  copy->memory + region.origin, error);
    if (!mem->image)
        return cl->clCreateSubBuffer(copy->clone, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                     error);
    if (copy->root->image || mem->image->from == copy->root)
        return cx_image_make(mem, worker->index, NULL, copy->clone, error);
    cl_mem part = cl->clCreateSubBuffer(copy->clone, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                        &(cl_buffer_region){mem->origin, mem->image->from->size}, error);
    cl_mem image = *error == CL_SUCCESS ? cx_image_make(mem, worker->index, NULL, part, error) : NULL;
    if (part)
        cl->clReleaseMemObject(part); /* the image keeps it */
    return image;
}

cl_mem cx_verify_stand_in(const struct cx_verify *verify, unsigned arg, const struct cx_mem *mem,
                          const struct cx_worker *worker, cl_mem *window, cl_int *error)
{
    const struct cx_verify_copy *copy = &verify->copy[verify->copy_of[arg]];
    *error = CL_SUCCESS;
    if (mem->image ? mem == mem->root : mem->size == copy->hi - copy->lo)
        return copy->clone;
    return *window = make_window(copy, mem, worker, error);
}

void cx_verify_clones_end(struct cx_verify *verify, struct cx_worker *worker, bool again)
{
    for (unsigned c = 0; c < verify->ncopies; c++) {
        struct cx_verify_copy *copy = &verify->copy[c];
        if (copy->compared && !verify->failed)
            cx_verify_went(verify, read_clone(copy, worker, again ? copy->again : copy->whole),
                           "reading its results fails");
        if (copy->clone)
            worker->device->cl->clReleaseMemObject(copy->clone);
        copy->clone = NULL;
        free(copy->memory);
        copy->memory = NULL;
    }
}
