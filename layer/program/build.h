/* SPDX-License-Identifier: MIT */
/*
 * Builds: of the program's text, its objects or its binary, for the members of a unit's devices.
 *
 * Previous stage: program_unit.h, which claims units. Next: build_deferred.h, variant.h. Thread-safety: one
 * build of a unit at a time (cx_program_build.running).
 */
#ifndef CX_LAYER_PROGRAM_BUILD_H
#define CX_LAYER_PROGRAM_BUILD_H

#include "layer/program/program.h"

/* A build: one step for each member of a unit's devices, all at the same time. */
struct cx_build {
    struct cx_program *program;         /* the unit: a reference, claimed */
    char *options;                      /* owned; becomes program->build.options */
    cl_program_binary_type binary_type; /* what a success makes of the program */
    cl_int failure;                     /* the error code if no driver gives one */
    /* Makes and builds member m's real program. Sets *real, also if the build fails, for its log. */
    cl_int (*step)(struct cx_build *build, unsigned member, cl_program *real);
    bool may_be_deferred;       /* the steps of all but one member may be deferred (cx_build_deferred_run) */
    bool analyse;               /* the text is the whole program: the analyser starts beside the builds */
    char *text, *text_options;  /* owned; become the program's */
    struct cx_program **inputs; /* headers, or units to link (attached): referenced */
    char **names;               /* of the headers */
    unsigned ninputs;
};

/* The builds of one call: mostly one, otherwise run one after the other. */
struct cx_builds {
    struct cx_program *program; /* a reference */
    unsigned count;
    struct cx_build **build;
    cx_program_notify notify;
    void *notify_data;
};
/* Make and destroy the list of builds of a call. NULL: no memory. Builds that have not run leave their
 * devices unchanged. Called by link.c, program_binary.c and program_il.c. */
struct cx_builds *cx_builds_new(struct cx_program *program, cx_program_notify notify, void *notify_data);
void cx_builds_destroy(struct cx_builds **builds);
/* Adds builds for these devices (0: all) with these options (NULL: none; a binary keeps its own).
 * CL_INVALID_OPERATION: a device is being built, or kernels are attached. Called by link.c, program_binary.c
 * and program_il.c. */
cl_int cx_builds_add(struct cx_builds *builds, cl_uint ndevices, const cl_device_id *devices,
                     const char *options);
/* Releases the results of earlier builds, runs the builds and frees the list. With a callback they run in the
 * background, and it is called at the end. Returns the first error of a device for which no member's build
 * succeeded. Called by link.c, program_binary.c and program_il.c. */
cl_int cx_builds_run(struct cx_builds **builds);
/* The checks that clBuildProgram, clCompileProgram and clLinkProgram share: devices (of the program, or with
 * NULL the context) and callback. Called by link.c. */
cl_int cx_build_check(const struct cx_context *context, const struct cx_program *program, cl_uint ndevices,
                      const cl_device_id *devices, cx_program_notify notify, const void *data,
                      const char **reason);
/* Makes a real program of this text in member m's real context. Called by link.c and variant.c. */
cl_program cx_build_source(const struct cx_program *program, unsigned member, cl_uint count,
                           const char **text, cl_int *error);
/* The real program's build log, which the caller frees. NULL: it is empty, or there is no memory. Called by
 * variant.c. */
char *cx_build_log(const struct cx_program *program, unsigned member, cl_program real);

/* Checks whether files that the program includes have changed since its first build, so that a build now
 * would be of another text. Deferred builds (cx_build_deferred_run)
 * and builds of split variants (variant.c) ask it before and after, with no lock held. `options` are that
 * build's, since a new build may change the program's own. Called by variant.c. */
enum cx_files_moved cx_build_files_moved(const struct cx_program *program, const char *options);
/* Runs the deferred build of member m with these options and stores the result. True: it succeeded. Called by
 * build_deferred.c. */
bool cx_build_deferred_run(struct cx_program *program, unsigned member, const char *options);

#endif
