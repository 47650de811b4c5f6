/* SPDX-License-Identifier: MIT */
/*
 * Image formats: which pairs of channel order and data type the spec knows, how large a pixel is, and the
 * bytes of a pixel of one colour (clEnqueueFillImage). No OpenCL calls; any thread.
 */
#ifndef CX_LAYER_MEMORY_IMAGE_FORMAT_H
#define CX_LAYER_MEMORY_IMAGE_FORMAT_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>

enum { CX_PIXEL_MAX = 16 }; /* bytes */

/* Bytes of a pixel, or 0 where the spec knows no such format. */
size_t cx_image_format_bytes(const cl_image_format *format);

/* The pixel of a fill colour: four floats for normalised and floating-point formats (one for CL_DEPTH), four
 * 32-bit integers, signed or unsigned, for the others; converted as the spec says for write_image. Gives the
 * bytes written, or 0 where the layer cannot convert to this format. */
size_t cx_image_format_pixel(const cl_image_format *format, const void *color,
                             unsigned char pixel[CX_PIXEL_MAX]);

#endif
