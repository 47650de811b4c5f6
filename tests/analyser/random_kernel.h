/* SPDX-License-Identifier: MIT */
/* Random kernels as summaries: indices that look like those of real kernels, and some that look like nothing.
 */
#ifndef CX_TESTS_ANALYSER_RANDOM_KERNEL_H
#define CX_TESTS_ANALYSER_RANDOM_KERNEL_H

#include "oracle.h"

#define CX_RANDOM_ARGS 5 /* 0..2: buffers, 3..4: 32-bit and 64-bit numbers */

struct cx_random_kernel {
    struct cx_summary_kernel kernel;
    struct cx_summary_arg arg[CX_RANDOM_ARGS];
    struct cx_expr expr[256];
    struct cx_guard guard[32];
    struct cx_loop loop[3];
    struct cx_access_record access[8];
    struct cx_access_geometry geometry;
    struct cx_access_arg value[CX_RANDOM_ARGS];
    uint32_t n32;
    uint64_t n64;
};

/* wild: any operations on anything, else mostly sums and products. */
void cx_random_kernel_make(struct cx_random_kernel *k, struct cx_random *r, bool wild);

#endif
