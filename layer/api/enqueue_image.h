/* SPDX-License-Identifier: MIT */
/*
 * What commands on images share: checks of regions, and planning a command that reads some blocks of bytes
 * and writes others (enqueue_image.c: with the program's memory; enqueue_image_read.c: from several owners;
 * enqueue_image_copy.c: between objects, and fills).
 */
#ifndef CX_LAYER_API_ENQUEUE_IMAGE_H
#define CX_LAYER_API_ENQUEUE_IMAGE_H

#include "layer/api/enqueue.h"
#include "layer/memory/image.h"

/* One side of a transfer: texels of an image, or bytes of a buffer. */
struct cx_image_side {
    struct cx_mem *mem; /* a reference; NULL: the program's memory, or a colour */
    size_t origin[3];   /* texels, or {bytes, 0, 0} */
    struct cx_block block;
};

/* A command on images: from one side to the other. */
struct cx_image_transfer {
    struct cx_command base;
    struct cx_image_side to, from;
    size_t region[3];              /* texels */
    size_t bytes;                  /* of a row of the region */
    struct cx_rect memory;         /* how the program's memory lies */
    size_t row_pitch, slice_pitch; /* of it, for a driver */
    unsigned char *pointer;
    unsigned char color[16], pixel[CX_PIXEL_MAX];
    cl_int (*on_host)(struct cx_job *job, struct cx_worker *worker);
    cl_int (*on_member)(struct cx_job *job, struct cx_worker *worker);
    bool after_frontier; /* the program's memory is touched */
};

/* A command whose sides are still to be set (cx_image_side_set takes a reference). NULL: no memory. Called
 * by enqueue_image_copy.c. */
struct cx_image_transfer *cx_image_transfer_new(struct cx_queue *queue, cl_command_type type,
                                                const size_t region[3]);
void cx_image_side_set(struct cx_image_side *side, struct cx_mem *image, const size_t origin[3],
                       const size_t region[3]);
void cx_buffer_side_set(struct cx_image_side *side, struct cx_mem *buffer, size_t offset, size_t bytes);

/* For a plan that reads into the program's memory what several places hold: queues a job for each of them.
 * Settles nothing. Called by enqueue_image.c. */
cl_int cx_image_read_owners(struct cx_image_transfer *t, const struct cx_byte_ranges *ranges);

/* Origin and region lie in the image and are as the spec wants them for its type. Called by
 * enqueue_image_copy.c and enqueue_map.c. */
cl_int cx_image_region(const char *function, const struct cx_mem *mem, const size_t *origin,
                       const size_t *region);

#endif
