/* SPDX-License-Identifier: MIT */
/*
 * Runs a helper program to its end, with a time limit. The helper and the program that loaded the driver do
 * not affect each other: the helper has its own environment and process group, no open files, and default
 * signal handling. One whose libraries only the program's LD_LIBRARY_PATH finds is given that, once the
 * dynamic linker has said so. Thread-safe.
 */
#ifndef CX_LAYER_BASE_SUBPROCESS_H
#define CX_LAYER_BASE_SUBPROCESS_H

#include "layer/base/exit_guard.h"
#include <stddef.h>

enum cx_subprocess_end {
    CX_SUBPROCESS_OK, /* it ended with status 0 (or unknown, if the program reaped it: check its result) */
    CX_SUBPROCESS_FAILED,  /* another status, or a signal */
    CX_SUBPROCESS_TIMEOUT, /* killed at the limit */
    CX_SUBPROCESS_STOPPED, /* killed by cx_exit_guard_subprocess_stop */
    CX_SUBPROCESS_ABSENT,  /* could not be started */
    CX_SUBPROCESS_LEFT,    /* our process ends; the helper was signalled (SIGUSR1) and goes on by itself */
};

/* Runs the program argv[0] and waits for its end. A helper that outlasts us (helper->outlasts) starts with
 * SIGUSR1 blocked; when our process ends it gets that signal, and must then go on by itself and end soon. A
 * script is killed instead. Whoever runs one that may outlast us has told of its files
 * (cx_exit_guard_files), if any, and tells again that they are gone unless the end is LEFT. message: the
 * first line that it wrote on standard error, "" if none. Called by knowledge/, plan/ and source/. */
enum cx_subprocess_end cx_subprocess_run(struct cx_subprocess *helper, char *const argv[], unsigned limit_ms,
                                         char *message, size_t room);

#endif
