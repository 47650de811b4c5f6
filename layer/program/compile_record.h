/* SPDX-License-Identifier: MIT */
/*
 * What drivers' compilers took, kept from process to process (COEXEC_CACHE_DIR): drivers keep what they
 * compiled on disk, so a build that was quick tells nothing of how long the same build takes for another
 * device that has not done it yet. What is kept is an expectation: where the driver's own cache is gone, the
 * next build is slow once. Nothing is kept of programs without text, where there is one device, nor
 * where PoCL keeps nothing (POCL_KERNEL_CACHE=0).
 * Thread-safe, takes no lock, for callers who know that the program is not built anew meanwhile (a kernel of
 * it exists); cx_compile_record_built is for builds themselves. Each call that is not answered from memory
 * reads a small file.
 */
#ifndef CX_LAYER_PROGRAM_COMPILE_RECORD_H
#define CX_LAYER_PROGRAM_COMPILE_RECORD_H

#include "layer/source/subrange.h"

#include <stdbool.h>
#include <stdint.h>

struct cx_program;

/* Whether the device, or one of its name and driver, has compiled this in a former process or this one, and
 * the seconds it took (0: not known). kernel: in its first launch of a form; NULL: in the program's build.
 * Called by plan/launch_form.c. */
bool cx_compile_record_find(const struct cx_program *program, unsigned member, enum cx_variant variant,
                            const char *kernel, uint64_t form, double *seconds);
/* It has, in so many seconds; what is kept already is only replaced by longer times. May write a file.
 * Called by plan/launch_form.c. */
void cx_compile_record_keep(const struct cx_program *program, unsigned member, enum cx_variant variant,
                            const char *kernel, uint64_t form, double seconds);

/* A build with these options is done. Does nothing where that was the program's own, in the call, and so
 * short that it came from the driver's cache. Called by build.c and variant.c. */
void cx_compile_record_built(const struct cx_program *program, const char *options, unsigned member,
                             enum cx_variant variant, uint64_t ns);
/* Seconds that a build of a variant may take on a member that has not done it in this process: as long as the
 * program's first build did now, or, where the member's driver never built it, in the process in which that
 * took longest; for a CPU at least a guess. Called by plan/plan_size.c. */
double cx_compile_record_expected(const struct cx_program *program, unsigned member, enum cx_variant variant);

#endif
