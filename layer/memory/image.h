/* SPDX-License-Identifier: MIT */
/*
 * Images: memory objects whose bytes are texels.
 *
 * For coherence, planning and splitting, an image is its host copy: rows of texels in a linear array, with
 * the program's pitches if it gave the memory (CL_MEM_USE_HOST_PTR), else dense. A member's shadow is a real
 * image; transport_image.c moves byte ranges as boxes of texels. An image made from a buffer (or an image) is
 * a window on that object's root, like a sub-buffer: it has no bytes of its own, only real images made from
 * the real objects.
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
    cl_image_desc desc;  /* as the program gave it, with the pitches that queries report */
    struct cx_mem *from; /* the object it was made from, a reference; NULL: it has bytes of its own */
    size_t element;      /* bytes of a texel */
    size_t extent[3];    /* texels along x, y, z as regions count them; 1 where it has no such dimension */
    size_t step[3];      /* bytes from one texel to the next along x, y, z */
    cl_mem_flags access; /* CL_MEM_READ_WRITE, READ_ONLY or WRITE_ONLY: what kernels do with it */
};

/* The image behind a handle, or NULL for anything else. Called by memory/ and api/. */
static inline struct cx_mem *cx_image_from(cl_mem handle)
{
    struct cx_mem *mem = cx_mem_from(handle);
    return mem && mem->image ? mem : NULL;
}

/* Frees the data of an image object. Called by buffer.c when the object is destroyed. */
void cx_image_free(struct cx_image *image);

/* Makes a real image for the member: over `host` (NULL: with its own memory), or from the member's real
 * object `from` (NULL: none). NULL: *error is the driver's. Called by buffer.c and launch/verify_clone.c. */
cl_mem cx_image_make(const struct cx_mem *mem, unsigned member, void *host, cl_mem from, cl_int *error);

/* The offset in the object at which a texel begins. Called by image_shape.c. */
static inline size_t cx_image_offset(const struct cx_image *image, const size_t origin[3])
{
    return origin[0] * image->step[0] + origin[1] * image->step[1] + origin[2] * image->step[2];
}
/* The rows of bytes of a region, in the root. Called by api/enqueue_image.c and api/enqueue_map.c. */
struct cx_block cx_image_block(const struct cx_mem *mem, const size_t origin[3], const size_t region[3]);
/* The row and slice pitch to give a driver for host memory whose rows (along y) and slices (along z) are that
 * many bytes apart. Called by transport_image.c and api/enqueue_image.c. */
void cx_image_pitches(const struct cx_image *image, size_t row, size_t slice, size_t *row_pitch,
                      size_t *slice_pitch);

/* The end of the longest range from lo on, within [lo, hi) of the root, whose texels are one box: part of a
 * row, whole rows of a slice, or whole slices. *start: the offset of its first texel, lo or behind padding.
 * Called by transfer.c and launch/verify_clone.c.
 */
size_t cx_image_box_end(const struct cx_image *image, size_t lo, size_t hi, size_t *start);
/* The box of such a range, in texels. Called by transport_image.c. */
void cx_image_box(const struct cx_image *image, size_t lo, size_t bytes, size_t origin[3], size_t region[3]);

/* Whether kernels of this context may use such a format with these flags. Called by image.c. */
bool cx_image_format_supported(const struct cx_context *context, cl_mem_flags flags, cl_mem_object_type type,
                               const cl_image_format *format);
/* Whether the member's driver supports the format. Called by image_shape.c. */
bool cx_image_member_supports(const struct cx_worker *worker, cl_mem_flags access, cl_mem_object_type type,
                              const cl_image_format *format);

#endif
