/* SPDX-License-Identifier: MIT */
/*
 * A recording (COEXEC_RECORD) read back: programs, their kernels, and the launches of each.
 */
#ifndef CX_TOOLS_COEXEC_RECORDED_H
#define CX_TOOLS_COEXEC_RECORDED_H

#include "layer/access/summary.h"
#include <json-c/json.h>
#include <stddef.h>

struct cx_recorded_kernel {
    char *name;
    size_t nlaunches;
    uint64_t *hash; /* one a launch */
    struct json_object *
        *launch; /* as layer/report/recording.c writes them, all different; their types are checked */
};

struct cx_recorded_program {
    char *source;                         /* the file's name in the folder */
    char *options, *extensions, *replies; /* told: NULL where nobody was asked */
    size_t ndefines;
    char **define;
    size_t nkernels;
    struct cx_recorded_kernel *kernel;
};

struct cx_recording {
    size_t nfiles, nprograms, damaged; /* damaged: lines left out */
    size_t textless;                   /* launches of programs that are not there */
    size_t full;                       /* processes that stopped recording at their limit */
    struct cx_recorded_program **program;
};

/* Reads a folder. False with *problem (static text, or strerror's) where it holds no recording. The same
 * program or launch of several processes is there once. */
int cx_recording_read(const char *folder, struct cx_recording *recording, const char **problem);
void cx_recording_finish(struct cx_recording *recording);

/* coexec explain --recorded FOLDER [--list]; returns the exit status. */
int cx_explain_recorded(const char *folder, int list);

#endif
