/* SPDX-License-Identifier: MIT */
/*
 * What queries tell of all units of a program together. Previous stage: program_unit.h. Thread-safe.
 */
#ifndef CX_LAYER_PROGRAM_PROGRAM_INFO_H
#define CX_LAYER_PROGRAM_PROGRAM_INFO_H

#include "layer/program/program.h"

/* The names of all units' kernels, each once, separated by ; and their number. The caller frees the text.
 * NULL: *error says why. Thread-safe. Called by kernel.c. */
char *cx_program_kernels(struct cx_program *program, size_t *count, cl_int *error);

#endif
