/* SPDX-License-Identifier: MIT */
/*
 * Images: memory objects whose bytes are texels.
 *
 * To coherence, planning and splitting an image is its host copy: rows of texels in a linear array, with the
 * program's pitches where it gave the memory (CL_MEM_USE_HOST_PTR), dense otherwise. A member's shadow is a
 * real image; transport_image.c moves runs of bytes to and fro as boxes of texels. An image made from a
 * buffer (or from an image) is a window on that object's root, as a sub-buffer is: it has no bytes of its
 * own, only real images made from the real objects.
 *
 * Previous stage: the entry points in image.c. Next: buffer.h. Thread-safety: constant once made.
 */
#ifndef CX_LAYER_MEMORY_IMAGE_H
#define CX_LAYER_MEMORY_IMAGE_H

#include "layer/memory/buffer.h"
#include "layer/memory/image_format.h"
#include "layer/memory/byte_ranges.h"

struct cx_image {
    cl_image_format format;
    cl_image_desc desc;  /* as the program gave it, pitches filled in as the queries tell them */
    struct cx_mem *from; /* what it was made from, a reference; NULL: it has bytes of its own */
    size_t element;      /* bytes of a texel */
    size_t extent[3];    /* texels along x, y, z as regions count them; 1 where it has no such dimension */
    size_t step[3];      /* bytes from one texel to the next along x, y, z */
    cl_mem_flags access; /* CL_MEM_READ_WRITE, READ_ONLY or WRITE_ONLY: what kernels do with it */
};

/* The image behind a handle, or NULL for anything else. */
static inline struct cx_mem *cx_image_from(cl_mem handle)
{
    struct cx_mem *mem = cx_mem_from(handle);
    return mem && mem->image ? mem : NULL;
}

void cx_image_free(struct cx_image *image);

/* A real image for the member: over `host` (NULL: its own memory), or made from the member's real object
 * `from` (NULL: none). NULL: *error is the driver's. */
cl_mem cx_image_make(const struct cx_mem *mem, unsigned member, void *host, cl_mem from, cl_int *error);

/* Byte of the object, from its first, at which a texel begins. */
static inline size_t cx_image_offset(const struct cx_image *image, const size_t origin[3])
{
    return origin[0] * image->step[0] + origin[1] * image->step[1] + origin[2] * image->step[2];
}
/* The rows of bytes that a region is, in the root. */
struct cx_block cx_image_block(const struct cx_mem *mem, const size_t origin[3], const size_t region[3]);
/* Row and slice pitch to give a driver for host memory whose rows (along y) and slices (along z) are so many
 * bytes apart. */
void cx_image_pitches(const struct cx_image *image, size_t row, size_t slice, size_t *row_pitch,
                      size_t *slice_pitch);

/* The end of the longest run from lo on, within [lo, hi) of the root, whose texels are one box: part of a
 * row, whole rows of a slice, or whole slices. *start: where its first texel lies, lo or behind padding. */
size_t cx_image_box_end(const struct cx_image *image, size_t lo, size_t hi, size_t *start);
/* The box of such a run, in texels. */
void cx_image_box(const struct cx_image *image, size_t lo, size_t bytes, size_t origin[3], size_t region[3]);

/* Whether kernels of this context may use such a format so. */
bool cx_image_format_supported(const struct cx_context *context, cl_mem_flags flags, cl_mem_object_type type,
                               const cl_image_format *format);
/* The same of one member, asked of its driver. */
bool cx_image_member_supports(const struct cx_worker *worker, cl_mem_flags access, cl_mem_object_type type,
                              const cl_image_format *format);

#endif
