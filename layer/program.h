/* SPDX-License-Identifier: MIT */
/*
 * Programs: the program's own text, one real program for each member built at the same time, its analysis, and
 * the split variant.
 *
 * clBuildProgram starts (1) the vendors' builds, one thread a member, and (2) the analyser (analysis.h) beside them.
 * Nobody ever waits for (2), nor for (3): the split variant, built in the background as soon as the analysis says that
 * a kernel needs it. A member whose compiler fails is left out for this program with a log line; the build fails
 * for the program only when every member failed. Logs are joined, each under its device's name when there are several.
 * Thread-safety: program->lock guards states; build results are written once.
 */
#ifndef CX_LAYER_PROGRAM_H
#define CX_LAYER_PROGRAM_H

#include "layer/kernel.h"
#include "layer/context.h"

struct cx_analysis;

struct cx_program_member {
    cl_program real[CX_VARIANT_COUNT];
    cl_build_status status;           /* of the plain build */
    cl_int error;                     /* what clBuildProgram gave */
    char *log;                        /* the plain build's */
    bool has_headers;
    atomic_bool split_built;          /* real[CX_VARIANT_SPLIT] can be used */
    bool left_out;
};

struct cx_program {
    struct cx_object base;
    struct cx_context *context; /* a reference */
    char *source;               /* all strings joined; NULL when not from source */
    char *options;              /* of the last build, never NULL */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a state below changed */
    bool building;
    cl_build_status status;
    struct cx_program_member *members; /* one a member of the context */
    unsigned nfunctions;
    struct cx_function *functions; /* after a successful build */
    char *kernel_names;            /* joined with ; */
    struct cx_analysis *analysis;  /* of the last build; NULL before */
    unsigned nkernels_alive;       /* kernels attached: clBuildProgram is refused then */
};

CX_OBJECT_CASTS(program, cl_program, CX_TAG_PROGRAM)

#endif
