/* SPDX-License-Identifier: MIT */
/*
 * The kernels of test_stress.c, each with its own way to touch memory, and what they do in plain C.
 */
#ifndef CX_TESTS_LAYER_STRESS_KERNELS_H
#define CX_TESTS_LAYER_STRESS_KERNELS_H

#include <CL/cl.h>

enum stress_kind { ONE, STENCIL, IN_PLACE, GROUP_SUM, SCATTER, GATHER, SOME, TURN, COUNT, KINDS };
extern const char stress_text[];
extern const char *const stress_name[KINDS];

/* What the buffer of indexes holds, a permutation: the place for item i. */
enum { INDEXES = 1024 };
cl_uint stress_index(cl_uint i);

/* Items [first, first + items) of a launch on the model; k is the kernel's number argument, TURN's width. */
void stress_model(enum stress_kind kind, const cl_uint *in, cl_uint *out, size_t first, size_t items,
                  size_t local, cl_uint k);

#endif
