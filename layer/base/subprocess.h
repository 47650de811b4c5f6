/* SPDX-License-Identifier: MIT */
/*
 * Runs a helper program to its end, with a time limit, so that neither it nor the program we are loaded into
 * notices the other: an environment of its own, no open files, signals as they are by default, a process
 * group. Thread-safe.
 */
#ifndef CX_LAYER_BASE_SUBPROCESS_H
#define CX_LAYER_BASE_SUBPROCESS_H

#include "layer/base/exit_guard.h"
#include <stddef.h>

enum cx_helper_end {
    CX_HELPER_OK,      /* it ended with status 0 (or nobody knows, since the program reaped it: look at its
                          product) */
    CX_HELPER_FAILED,  /* another status, or a signal */
    CX_HELPER_TIMEOUT, /* killed at the limit */
    CX_HELPER_STOPPED, /* killed by cx_helper_stop */
    CX_HELPER_ABSENT,  /* could not be started */
    CX_HELPER_LEFT,    /* our process ends; it was told so (SIGUSR1) and goes on by itself */
};

/* One that outlasts us (helper->outlasts) starts with SIGUSR1 blocked; it must take that signal and end soon
 * after it. A script is killed instead. argv[0] is its path. message: the first line it wrote on standard
 * error, "" when none. Waits. Called by source/analyser_run.c.
 */
enum cx_helper_end cx_helper_run(struct cx_helper *helper, char *const argv[], unsigned limit_ms,
                                 char *message, size_t room);

#endif
