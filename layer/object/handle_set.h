/* SPDX-License-Identifier: MIT */
/*
 * A registry of the live memory objects and samplers, which a program may pass as kernel arguments. It tells
 * whether some bytes are such a handle without dereferencing them.
 *
 * Previous stage: buffer.c, image.c and sampler.c add their objects. Next: kernel_arg.c. Thread-safe.
 */
#ifndef CX_LAYER_OBJECT_HANDLE_SET_H
#define CX_LAYER_OBJECT_HANDLE_SET_H

#include <stdbool.h>

/* Adds a handle when its object is made. False: no memory. Called by memory/buffer.c and memory/sampler.c. */
bool cx_handle_set_add(const void *handle);
/* Removes a handle when its object is destroyed. Accepts one that was never added. Called by memory/buffer.c
 * and memory/sampler.c. */
void cx_handle_set_remove(const void *handle);
/* Whether these bytes, taken as a pointer, are a memory object or sampler of ours now. Called by
 * api/command_buffer_record.c, program/kernel.c and program/kernel_arg.c. */
bool cx_handle_set_has(const void *handle);

#endif
