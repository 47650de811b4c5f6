/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_RECORD: what the recording says of programs. Nothing when it is not set. Thread-safe. Next:
 * recording.h.
 */
#ifndef CX_LAYER_PROGRAM_RECORD_PROGRAM_H
#define CX_LAYER_PROGRAM_RECORD_PROGRAM_H

struct cx_program;

/* A program is built: what it is analysed as, nothing where it has no text; options are those of this build.
 * Called by build.c.
 */
void cx_record_program(const struct cx_program *program);

#endif
