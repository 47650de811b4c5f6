/* SPDX-License-Identifier: MIT */
/*
 * Arguments of kernel objects (clSetKernelArg). Previous stage: kernel.h.
 */
#ifndef CX_LAYER_PROGRAM_KERNEL_ARG_H
#define CX_LAYER_PROGRAM_KERNEL_ARG_H

#include "layer/program/kernel.h"

/* Copies a snapshot; the copy has one reference and is not captured. NULL: no memory. The caller
 * holds the kernel's lock. Called by kernel.c, launch/private_copies.c and launch/remote_access.c. */
struct cx_args *cx_args_clone(const struct cx_args *args);

#endif
