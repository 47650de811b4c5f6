/* SPDX-License-Identifier: MIT */
/*
 * What drivers tell of a kernel's work-groups, cached. Previous stage: kernel.h. Thread-safe.
 */
#ifndef CX_LAYER_PROGRAM_KERNEL_INFO_H
#define CX_LAYER_PROGRAM_KERNEL_INFO_H

#include "layer/program/kernel.h"

/* Cached values of clGetKernelWorkGroupInfo: group_limit is CL_KERNEL_WORK_GROUP_SIZE of one member, or with
 * CX_ALL_MEMBERS the smallest of the members that may run the kernel (0: none). cx_kernel_required_size is
 * the required work-group size (zeros: none). Called by plan/plan_size.c. */
size_t cx_kernel_group_limit(const struct cx_kernel *kernel, unsigned member);
/* The largest work-group that a launch may have on a member: the kernel's limit, or the device's until the
 * member has built the program; 0: none. Called by api/enqueue_kernel.c and plan/plan_size.c. */
size_t cx_kernel_group_most(const struct cx_kernel *kernel, unsigned member);
void cx_kernel_required_size(const struct cx_kernel *kernel, size_t size[3]);
/* The work-group limit of a split variant that is ready, which may be lower. Called by plan/take.c. */
size_t cx_kernel_variant_limit(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant);

#endif
