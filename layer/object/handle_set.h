/* SPDX-License-Identifier: MIT */
/*
 * The set of live handles that a program may give as kernel arguments: memory objects and samplers. Bytes
 * that are no handle of ours must be told without reading through them.
 *
 * Previous stage: buffer.c, image.c, sampler.c enter their objects. Next: kernel_arg.c asks. Thread-safe.
 */
#ifndef CX_LAYER_OBJECT_HANDLE_SET_H
#define CX_LAYER_OBJECT_HANDLE_SET_H

#include <stdbool.h>

/* False: no memory. Called by memory/buffer.c and memory/sampler.c. */
bool cx_handle_set_add(const void *handle);
/* Accepts a handle that was never added. Called by memory/buffer.c and memory/sampler.c. */
void cx_handle_set_remove(const void *handle);
/* Whether these bytes, taken as a pointer, are a memory object or sampler of ours now. Called by
 * api/command_buffer_record.c, program/kernel.c and program/kernel_arg.c. */
bool cx_handle_set_has(const void *handle);

#endif
