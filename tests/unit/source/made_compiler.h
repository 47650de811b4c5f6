/* SPDX-License-Identifier: MIT */
/* A driver that takes the program of layer/source/compiler_macros.c and no other: what its compiler defines,
 * and how it fails.
 */
#ifndef CX_TESTS_LAYER_MADE_COMPILER_H
#define CX_TESTS_LAYER_MADE_COMPILER_H

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdatomic.h>

/* It stands for all of its objects; its address is the cl_device_id. */
struct made_compiler {
    const char *macros[6][2]; /* name and spelling */
    const char *choke;        /* a text with this in it does not build */
    cl_int error;             /* of every build */
    unsigned sleep_ms;        /* what a build takes */
    atomic_uint builds;
    char *source, options[64]; /* of the last build */
};

extern const cl_icd_dispatch made_compiler_dispatch;
/* One that can do nothing at all. */
extern const cl_icd_dispatch made_compiler_no_dispatch;

#endif
