/* SPDX-License-Identifier: MIT */
/*
 * Programs in an intermediate language, and those of built-in kernels. Previous stage: program.h. Next:
 * build.h. Thread-safety: specialization constants under a lock of their own.
 */
#ifndef CX_LAYER_PROGRAM_PROGRAM_IL_H
#define CX_LAYER_PROGRAM_PROGRAM_IL_H

#include "layer/program/program.h"
#include "layer/program/build.h"

/* The program's intermediate language; and makes member m's real program of it, with the specialisation
 * constants set, not built. Called by program/. */
const void *cx_program_il_text(const struct cx_il *il, size_t *size);
cl_program cx_program_il_program(const struct cx_program *program, unsigned member, cl_int *error);
struct cx_il *cx_program_il_ref(struct cx_il *il);
void cx_program_il_unref(struct cx_il **il, const struct cx_context *context);
/* The step of a build that makes member m's program of built-in kernels. Called through a pointer set in
 * build.c. */
struct cx_build;
cl_int cx_program_il_builtin_step(struct cx_build *build, unsigned member, cl_program *real);
/* The virtual device's answers about intermediate languages and built-in kernels (names separated by ;),
 * which the caller frees. NULL: there are none. Called by api/device_info.c. */
char *cx_program_il_device_versions(const struct cx_device *device);
char *cx_program_il_device_builtins(const struct cx_device *device);
/* Joins two lists of names separated by ; each name once. Returns the new list and frees both. NULL: no
 * memory. Called by program_info.c. */
char *cx_program_il_join_names(char *list, char *more);

#endif
