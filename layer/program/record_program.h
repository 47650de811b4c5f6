/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_RECORD: the recording's lines about programs. Does nothing if it is not set. Thread-safe. Next:
 * recording.h.
 */
#ifndef CX_LAYER_PROGRAM_RECORD_PROGRAM_H
#define CX_LAYER_PROGRAM_RECORD_PROGRAM_H

struct cx_program;

/* Records a program that was built: the text and options of its analysis. Does nothing if it has no text.
 * Called by build.c. */
void cx_record_program(const struct cx_program *program);

#endif
