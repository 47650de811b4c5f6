/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells of builds, on the row of the member's builds. Nothing when COEXEC_TRACE is not set.
 * Thread-safe.
 */
#ifndef CX_LAYER_PROGRAM_TRACE_BUILD_H
#define CX_LAYER_PROGRAM_TRACE_BUILD_H

#include <stdint.h>

struct cx_program;

/* A member's build, or that of a variant, made of `from`; since then (host ns; 0 when tracing was off).
 * Called by build.c and variant.c. */
void cx_trace_build(const struct cx_program *program, unsigned member, const char *name, const char *from,
                    const char *options, int error, uint64_t since_ns);

#endif
