/* SPDX-License-Identifier: MIT */
/* Image arguments of splitcheck: created from bytes and read back as bytes, rows and slices without gaps. */
#ifndef CX_TESTS_LAYER_SPLITCHECK_IMAGE_H
#define CX_TESTS_LAYER_SPLITCHECK_IMAGE_H

#include "recipe.h"

#include <CL/cl.h>

size_t splitcheck_image_bytes(const struct recipe_arg *arg, const struct recipe_range *range);
/* *buffer: what an image1d_buffer_t is made of, NULL for others; the caller releases both. */
cl_int splitcheck_image_new(cl_context context, const struct recipe_arg *arg,
                            const struct recipe_range *range, cl_mem_flags flags, void *bytes, cl_mem *image,
                            cl_mem *buffer);
cl_int splitcheck_image_read(cl_command_queue queue, const struct recipe_arg *arg,
                             const struct recipe_range *range, cl_mem image, cl_mem buffer, void *bytes);

#endif
