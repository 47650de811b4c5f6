/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of builds, one for each member. Does nothing if COEXEC_TRACE is not set. Thread-safe.
 */
#ifndef CX_LAYER_PROGRAM_TRACE_BUILD_H
#define CX_LAYER_PROGRAM_TRACE_BUILD_H

#include <stdint.h>

struct cx_program;

/* Writes a build of the program or of a variant on a member, made of `from`, from since_ns (on the host's
 * clock; 0: tracing was off) until now. Called by build.c and variant.c. */
void cx_trace_build(const struct cx_program *program, unsigned member, const char *name, const char *from,
                    const char *options, int error, uint64_t since_ns);

#endif
