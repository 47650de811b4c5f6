/* SPDX-License-Identifier: MIT */
/*
 * Samplers: constant descriptions of how kernels read images, with a real sampler for each member.
 *
 * A kernel's argument snapshot holds a reference. Previous stage: the entry points in sampler.c. Next:
 * kernel_bind.c. Thread-safety: real samplers are made under context->lock, then constant.
 */
#ifndef CX_LAYER_MEMORY_SAMPLER_H
#define CX_LAYER_MEMORY_SAMPLER_H

#include "layer/timeline/context.h"

struct cx_sampler {
    struct cx_object base;
    struct cx_context *context; /* a reference */
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties properties[8]; /* as given, with the closing 0 */
    size_t nproperties;
    cl_sampler *real; /* one a member; NULL until needed */
};

CX_OBJECT_CASTS(sampler, cl_sampler, CX_TAG_SAMPLER)

/* Makes member m's real sampler at the first call. The caller holds context->lock. Errors: the driver's (the
 * caller excludes the member). Called by launch/verify.c and plan/launch_prepare.c. */
cl_int cx_sampler_prepare(struct cx_sampler *sampler, unsigned member) CX_HOLDS(cx_context_locked);

#endif
