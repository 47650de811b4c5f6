/* SPDX-License-Identifier: MIT */
/*
 * The image transport: moves an image's bytes, an item or several rows, as one box of texels by the driver's
 * reads and writes of images. transfer.c cuts items so that each is one box.
 */
#include "layer/memory/image.h"
#include "layer/memory/transfer.h"
#include "layer/memory/transport.h"

/* What a item, or `rows` of them, is to the driver. */
struct box {
    size_t origin[3], region[3], row_pitch, slice_pitch;
};

static struct box box_of(const struct cx_image *image, size_t offset, size_t bytes,
                         const struct cx_rows *rows)
{
    struct box box;
    cx_image_box(image, offset, bytes, box.origin, box.region);
    if (rows->count > 1)
        box.region[1] = rows->count;
    cx_image_pitches(image, rows->count > 1 ? rows->host_stride : image->step[1], image->step[2],
                     &box.row_pitch, &box.slice_pitch);
    if (box.region[2] == 1 && image->desc.image_type != CL_MEM_OBJECT_IMAGE1D_ARRAY)
        box.slice_pitch = 0;
    return box;
}

cl_int cx_transport_image_upload(struct cx_worker *worker, const struct cx_image *image, cl_mem real,
                                 size_t offset, const void *host, size_t bytes, const struct cx_rows *rows,
                                 cl_event *event)
{
    const struct box box = box_of(image, offset, bytes, rows);
    return worker->device->cl->clEnqueueWriteImage(cx_worker_mover(worker), real, CL_FALSE, box.origin,
                                                   box.region, box.row_pitch, box.slice_pitch, host, 0, NULL,
                                                   event);
}

cl_int cx_transport_image_download(struct cx_worker *worker, const struct cx_image *image, cl_mem real,
                                   size_t offset, void *host, size_t bytes, const struct cx_rows *rows,
                                   cl_event *event)
{
    const struct box box = box_of(image, offset, bytes, rows);
    return worker->device->cl->clEnqueueReadImage(cx_worker_mover(worker), real, CL_FALSE, box.origin,
                                                  box.region, box.row_pitch, box.slice_pitch, host, 0, NULL,
                                                  event);
}

static bool image_takes(struct cx_worker *worker, const struct cx_transfer_item *item,
                        const struct cx_rows *rows)
{
    (void)worker, (void)rows;
    return item->root->image;
}

static cl_int image_start(struct cx_worker *worker, struct cx_transfer_item *item, const struct cx_rows *rows,
                          bool upload, cl_event *first, cl_event *last)
{
    const size_t bytes = (size_t)(item->hi - item->lo);
    (void)first; /* it is one transfer */
    return upload ? cx_transport_image_upload(worker, item->root->image, item->real, item->lo, item->host,
                                              bytes, rows, last)
                  : cx_transport_image_download(worker, item->root->image, item->real, item->lo, item->host,
                                                bytes, rows, last);
}

static enum cx_route image_route(const struct cx_transfer_item *item, const struct cx_rows *rows)
{
    (void)item, (void)rows;
    return CX_ROUTE_IMAGE;
}

const struct cx_transport cx_transport_image = {
    .name = "image",
    .takes = image_takes,
    .start = image_start,
    .route = image_route,
};
