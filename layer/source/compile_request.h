/* SPDX-License-Identifier: MIT */
/*
 * What coexec-compile is asked for: to have a CPU's driver compile a kernel for packages of one form
 * (plan/launch_form.h), in a process of its own, so that the driver's cache on disk has it. A request is a
 * run of bytes, written and read by one version on one machine. Previous stage: plan/compile_ahead.h. Next:
 * tools/compile_main.c. Pure functions, thread-safe.
 */
#ifndef CX_LAYER_SOURCE_COMPILE_REQUEST_H
#define CX_LAYER_SOURCE_COMPILE_REQUEST_H

#include "layer/source/subrange.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { CX_COMPILE_TEXTS = 3, CX_COMPILE_ARGS = 256, CX_COMPILE_VARIABLES = 64 };

enum cx_compile_kind { CX_COMPILE_VALUE, CX_COMPILE_LOCAL, CX_COMPILE_BUFFER, CX_COMPILE_NO_BUFFER };

struct cx_compile_arg {
    enum cx_compile_kind kind;
    size_t size;       /* bytes of the value, the local memory or the buffer */
    const void *value; /* of a VALUE */
};

struct cx_compile_request {
    const char *driver;  /* the library, as COEXEC_VENDORS takes it */
    unsigned place;      /* of the device among that driver's, from 0 */
    const char *device;  /* its name, which must be so */
    const char *options; /* of the build */
    const char *kernel;  /* its name; "": the program is built, and no more */
    /* where it is recorded how long that took (base/disk_cache.h): the folder, and the keys for the build and
     * for the kernel, "" without one */
    const char *folder, *built, *compiled;
    unsigned ntexts; /* of the program */
    const char *text[CX_COMPILE_TEXTS];
    unsigned nargs;
    struct cx_compile_arg arg[CX_COMPILE_ARGS];
    unsigned nvariables; /* of the environment that the driver looks at, NAME=VALUE */
    const char *variable[CX_COMPILE_VARIABLES];
    struct cx_subrange_launch launch; /* which is compiled for, and not run */
};

/* The request as bytes, which the caller frees. NULL: no memory. Called by plan/compile_ahead.c. */
void *cx_compile_request_pack(const struct cx_compile_request *request, size_t *size);
/* Reads it; the request's pointers are into `data`. False: these bytes are none. Called by
 * tools/compile_main.c. */
bool cx_compile_request_parse(const void *data, size_t size, struct cx_compile_request *request);

#endif
