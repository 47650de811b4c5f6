/* SPDX-License-Identifier: MIT */
/*
 * Finds the programs that coexec's library starts, which lie beside it in a build and in an installation.
 * Thread-safe.
 */
#ifndef CX_LAYER_BASE_OWN_PROGRAM_H
#define CX_LAYER_BASE_OWN_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* The places of one program. */
struct cx_own_program {
    const char *in_build, *beside; /* seen from the library's folder: of a build, and of an installation */
    const char *installed, *built; /* paths where these were made */
};

/* Finds the first that can be run. The library's folder knows best: a library beside its program, also when
 * build or installation was moved. False: there is none. Called by knowledge/store_program.c and
 * source/analyser.c. */
bool cx_own_program_find(const struct cx_own_program *places, char path[PATH_MAX]);

#endif
