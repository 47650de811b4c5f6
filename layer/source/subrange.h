/* SPDX-License-Identifier: MIT */
/*
 * Sub-ranges: how one package of a split launch is launched so that the kernel sees the whole launch.
 *
 * A kernel that uses only global and local ids and local sizes gets the right ones if its package is simply
 * launched with a global offset (CX_VARIANT_PLAIN). A kernel that uses more (CX_USE_NEEDS_REWRITE in
 * summary.h) runs from a variant of its program whose text begins with a prelude, which remaps indices:
 * macros replace get_global_size, get_num_groups, get_group_id and so on by functions of ours. These need the
 * original global size of the split dimension, which is passed in the global offset of another dimension: 1-D
 * and 2-D launches are launched as 3-D ones of depth 1 with offset[2] = (size << 2) | shape; one text serves
 * all of them (CX_VARIANT_SPLIT). 3-D launches have no spare dimension: split along S, T = (S + 1) % 3
 * carries offset[T] = size, and get_global_id(T) is counted from the groups; one text for each S
 * (CX_VARIANT_SPLIT3_S). The prelude never calls get_global_offset: PoCL 5 cannot load kernels whose helper
 * functions do. Source: design section 3 and analysis.md section 4. Pure functions, thread-safe.
 */
#ifndef CX_LAYER_SOURCE_SUBRANGE_H
#define CX_LAYER_SOURCE_SUBRANGE_H

#include "layer/access/access.h"

#include <CL/cl.h>
#include <stddef.h>

/* Which build of a program a real kernel comes from. */
enum cx_variant {
    CX_VARIANT_PLAIN,    /* the program's own text */
    CX_VARIANT_SPLIT,    /* with the sub-range prelude for 1-D and 2-D launches */
    CX_VARIANT_SPLIT3_0, /* 3-D launches split along dimension 0, 1, 2 */
    CX_VARIANT_SPLIT3_1,
    CX_VARIANT_SPLIT3_2,
    CX_VARIANT_COUNT
};

/* Arguments of one real clEnqueueNDRangeKernel. */
struct cx_subrange_launch {
    cl_uint dims;
    size_t offset[3], global[3], local[3];
};

/* The variant a split of this launch along dim needs; rewrite: the kernel's uses & CX_USE_NEEDS_REWRITE is
 * not 0. Called by api/enqueue_kernel.c, plan/plan.c and plan/prefix_rules.c. */
enum cx_variant cx_subrange_variant(const struct cx_access_geometry *geometry, unsigned dim, bool rewrite);

/* What forbids packages of a launch. */
enum cx_subrange_limit {
    CX_SUBRANGE_FITS, /* nothing */
    CX_SUBRANGE_NO_DIMENSION,
    CX_SUBRANGE_IDS,           /* global ids need more than 31 bits */
    CX_SUBRANGE_OFFSET,        /* ... in the split dimension */
    CX_SUBRANGE_SIZE_30,       /* CX_VARIANT_SPLIT */
    CX_SUBRANGE_SIZE_31,       /* CX_VARIANT_SPLIT3_0 and the like */
    CX_SUBRANGE_STATE_OFFSET,  /* ... in the dimension that carries the size */
    CX_SUBRANGE_OTHER_VARIANT, /* another variant serves the launch */
    CX_SUBRANGE_LIMITS
};
/* Half a sentence, "" for FITS. Called by plan/why.c. */
const char *cx_subrange_limit_text(enum cx_subrange_limit limit);
/* What forbids that packages of this launch along dim are launched by this variant. NVIDIA's driver keeps 32
 * bits of an offset and extends the sign, so no value may need more than 31 bits. Called by plan/plan.c and
 * plan/prefix_rules.c. */
enum cx_subrange_limit cx_subrange_limit(const struct cx_access_geometry *geometry, unsigned dim,
                                         enum cx_variant variant);

/* Fills in the real launch of work-groups [first, end) along dim, counted from 0 in the original launch.
 * Called by launch/failover.c and launch/launch.c. */
void cx_subrange_package(const struct cx_access_geometry *geometry, unsigned dim, enum cx_variant variant,
                         uint64_t first, uint64_t end, struct cx_subrange_launch *launch);

/* The texts before (text) and behind (check) the program's in a variant; "" for PLAIN. The text behind does
 * not compile if the program itself defines or undefines one of the functions' names; such a program has no
 * variant. Called by program/compile_record.c and program/variant.c. */
const char *cx_subrange_text(enum cx_variant variant);
const char *cx_subrange_check(enum cx_variant variant);

#endif
