/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_RECORD: writes down which programs are built and how their kernels are launched, so that
 * `coexec explain --recorded` can judge the launches again with their real numbers.
 *
 * In the folder: each source once, named by its hash, and one file of JSON lines for each process.
 * Thread-safe; a folder that cannot be written costs one line on stderr and ends the recording.
 */
#ifndef CX_LAYER_REPORT_RECORDING_H
#define CX_LAYER_REPORT_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text, and a member with so many numbers, as JSON. Called by plan/record_launch.c and
 * program/record_program.c. */
void cx_record_text(FILE *out, const char *text);
void cx_record_numbers(FILE *out, const char *name, const uint64_t number[3], unsigned count);
/* Keeps a source under that name, and the line about its program, `size` bytes. Both stay the caller's.
 * Thread-safe, as is the next. Called by program/record_program.c. */
void cx_record_source(const char *name, const char *source, const char *line, size_t size);
/* A line that is worth writing only once, and only so often; nothing where write_line writes none. It is
 * called in the call, with no lock of the recording held. */
void cx_record_once(void (*write_line)(FILE *out, const void *of), const void *of);

#endif
