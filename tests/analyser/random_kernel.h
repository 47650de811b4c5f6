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
    struct cx_expr expr[1500];
    struct cx_guard guard[40];
    struct cx_loop loop[3];
    struct cx_access_record access[8];
    struct cx_access_geometry geometry;
    struct cx_access_arg value[CX_RANDOM_ARGS];
    uint32_t n32;
    uint64_t n64;
};

enum cx_random_style {
    CX_RANDOM_TAME,    /* mostly sums and products */
    CX_RANDOM_STRIDED, /* ids and loops as digits of a number, now and then of one that does not add up */
    CX_RANDOM_RINGS,   /* coordinates that wrap around, in slots: each item's own places, or nearly so */
    CX_RANDOM_WILD     /* any operations on anything */
};
void cx_random_kernel_make(struct cx_random_kernel *k, struct cx_random *r, enum cx_random_style style);

#endif
