/* SPDX-License-Identifier: MIT */
/*
 * Shared by commands on images: checks of regions, and planning a command that reads some blocks of bytes and
 * writes others. enqueue_image.c has transfers from and to the program's memory, enqueue_image_read.c reads
 * from several owners, enqueue_image_copy.c copies between objects and fills.
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
    struct cx_rect memory;         /* the layout of the program's memory */
    size_t row_pitch, slice_pitch; /* of it, for a driver */
    unsigned char *pointer;
    unsigned char color[16], pixel[CX_PIXEL_MAX];
    cl_int (*on_host)(struct cx_job *job, struct cx_worker *worker);
    cl_int (*on_member)(struct cx_job *job, struct cx_worker *worker);
    bool after_frontier; /* it accesses the program's memory, so it runs behind all that it depends on */
};

/* Makes a command; its sides are set afterwards (cx_enqueue_image_side and cx_enqueue_image_buffer_side take
 * a reference). NULL: no memory. Called by enqueue_image_copy.c. */
struct cx_image_transfer *cx_enqueue_image_new(struct cx_queue *queue, cl_command_type type,
                                               const size_t region[3]);
void cx_enqueue_image_side(struct cx_image_side *side, struct cx_mem *image, const size_t origin[3],
                           const size_t region[3]);
void cx_enqueue_image_buffer_side(struct cx_image_side *side, struct cx_mem *buffer, size_t offset,
                                  size_t bytes);

/* Part of a plan function that reads into the program's memory what several places hold: queues a job for
 * each of them. The caller settles the command. Called by enqueue_image.c. */
cl_int cx_enqueue_image_read_owners(struct cx_image_transfer *t, const struct cx_byte_ranges *ranges)
    CX_HOLDS(cx_context_locked);

/* Checks that origin and region lie in the image and obey the specification for the image's type. Called by
 * enqueue_image_copy.c and enqueue_map.c. */
cl_int cx_enqueue_image_region(const char *function, const struct cx_mem *mem, const size_t *origin,
                               const size_t *region);

#endif
