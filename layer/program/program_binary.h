/* SPDX-License-Identifier: MIT */
/*
 * Binaries of programs: the one that a unit gives, and the contents of the one that it was made from
 * (container.h). Previous stage: program.h. Next: build.h. Thread-safety: contents are constant; else as
 * said.
 */
#ifndef CX_LAYER_PROGRAM_PROGRAM_BINARY_H
#define CX_LAYER_PROGRAM_PROGRAM_BINARY_H

#include "layer/program/program.h"

/* Returns the size of a unit's binary. `give`, if not NULL, is called with the binary under
 * the unit's lock, since another thread may build the program anew. 0: there is none. Thread-safe; the caller
 * holds no lock. Called by program_info.c. */
size_t cx_program_binary_give(struct cx_program *program,
                              void (*give)(void *data, const void *binary, size_t size), void *data);
/* The contents of a binary that a program was made from; reference-counted. same: whether both are of the
 * same bytes. Called by program.c and program_unit.c. */
struct cx_stored *cx_program_binary_ref(struct cx_stored *stored);
void cx_program_binary_unref(struct cx_stored **stored);
bool cx_program_binary_same(const struct cx_stored *a, const struct cx_stored *b);
/* The options in the binary, which every build uses; NULL: it has none, and builds use their own. Called by
 * build.c. */
const char *cx_program_binary_options(const struct cx_stored *stored);
/* Whether the binary contains the program's whole text, so that it can be built from that. Called by build.c
 * and variant.c. */
bool cx_program_binary_has_text(const struct cx_stored *stored);
/* Makes member m's real program from the binary, not built. NULL with *error: the binary has none for that
 * device. Called by build.c. */
cl_program cx_program_binary_program(const struct cx_program *program, unsigned member, cl_int *error);
/* Makes an analysis of the summaries in the binary. NULL with *why: there are none. Called by build.c. */
struct cx_analysis *cx_program_binary_analysis(const struct cx_program *program, struct cx_no_summary *why);

/* Checks a list of devices, for all functions that make programs for such a list. Called by program_il.c. */
cl_int cx_program_check_devices(cl_context context, cl_uint count, const cl_device_id *devices);

#endif
