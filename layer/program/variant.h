/* SPDX-License-Identifier: MIT */
/*
 * Builds of split variants of a program (subrange.h), in the background. Previous stage: kernel_bind.h.
 * Thread-safe.
 */
#ifndef CX_LAYER_PROGRAM_VARIANT_H
#define CX_LAYER_PROGRAM_VARIANT_H

#include "layer/program/program.h"

/* Implement cx_kernel_variant_want and cx_kernel_variant_wait (kernel_bind.h). Called by build.c,
 * build_deferred.c and kernel_bind.c. */
void cx_program_variant_want(struct cx_program *program, enum cx_variant variant);
bool cx_program_variant_wait(struct cx_program *program, enum cx_variant variant, unsigned ms);

/* What member m's driver was given to build, of a program made of its own text alone: fills in its texts and
 * returns how many there are; 0: of another program. Called by plan/compile_ahead.c. */
unsigned cx_program_variant_text(const struct cx_program *program, enum cx_variant variant,
                                 const char *text[3]);
/* ... and the options, which the caller frees. NULL: no memory. Called by plan/compile_ahead.c. */
char *cx_program_variant_options(const struct cx_program *program, unsigned member, enum cx_variant variant);

#endif
