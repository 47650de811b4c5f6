/* SPDX-License-Identifier: MIT */
/*
 * Image formats: the pairs of channel order and data type that the specification defines, the size of a
 * pixel, and the bytes of a pixel of one colour (clEnqueueFillImage). No OpenCL calls; any thread.
 */
#ifndef CX_LAYER_MEMORY_IMAGE_FORMAT_H
#define CX_LAYER_MEMORY_IMAGE_FORMAT_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>

enum { CX_PIXEL_MAX = 16 }; /* bytes */

/* Bytes of a pixel; 0: the specification has no such format. Called by image.c and image_info.c. */
size_t cx_image_format_bytes(const cl_image_format *format);

/* The pixel of a fill colour: four floats for normalised and floating-point formats (one for CL_DEPTH), four
 * 32-bit integers, signed or unsigned, for the others; converted as the specification says for write_image.
 * Returns the bytes written; 0: the layer cannot convert to this format. Called by
 * api/enqueue_image_copy.c. */
size_t cx_image_format_pixel(const cl_image_format *format, const void *color,
                             unsigned char pixel[CX_PIXEL_MAX]);

#endif
