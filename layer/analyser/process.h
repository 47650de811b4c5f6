/* SPDX-License-Identifier: MIT */
/*
 * A child process with limits, whose output is collected: clang, and the analysis proper, so that neither a
 * crash nor a hang of LLVM takes the answer away.
 */
#ifndef CX_LAYER_ANALYSER_PROCESS_H
#define CX_LAYER_ANALYSER_PROCESS_H

#include <stddef.h>

struct cx_buffer {
    char *data; /* free() it */
    size_t size;
};

enum cx_process_status {
    CX_PROCESS_OK = 0,
    CX_PROCESS_FAILED,  /* ended with another exit status than 0 */
    CX_PROCESS_CRASHED, /* ended by a signal of its own */
    CX_PROCESS_TIMEOUT, /* killed: time or memory limit */
    CX_PROCESS_NO_START,
};

/* How many times its limit of processor time a child may take by the clock: more than once for processes that
 * only run while a core is idle. Called by main.c. */
unsigned cx_process_patience(void);

/*
 * Runs body(context) in a child; its standard output goes to out, its standard error to err (both zeroed
 * before, either may stay empty). The child has limit_ms of wall-clock time
 * (more where we run while a core is idle) and memory_mb of address space.
 * body does not return to the caller: the child exits with what it returns. Called by compile.c and main.c.
 */
enum cx_process_status cx_process_run(int (*body)(void *), void *context, unsigned limit_ms,
                                      unsigned memory_mb, struct cx_buffer *out, struct cx_buffer *err);

#endif
