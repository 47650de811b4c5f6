/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_RECORD: records which programs are built and how their kernels are launched, so that `coexec explain
 * --recorded` can judge the launches again with their real numbers.
 *
 * The folder has each source once, named by its hash, and one file of JSON lines for each process.
 * Thread-safe. If the folder cannot be written, one line is logged and the recording ends.
 */
#ifndef CX_LAYER_REPORT_RECORDING_H
#define CX_LAYER_REPORT_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write a text, and a named list of `count` numbers, as JSON. Called by plan/record_launch.c and
 * program/record_program.c. */
void cx_recording_text(FILE *out, const char *text);
void cx_recording_numbers(FILE *out, const char *name, const uint64_t number[3], unsigned count);
/* Stores a source under that name, and the line about its program, of `size` bytes. The caller keeps both.
 * Thread-safe. Called by program/record_program.c. */
void cx_recording_source(const char *name, const char *source, const char *line, size_t size);
/* Writes a line unless the same line was written before, and up to a limit. write_line(out, of) writes it, or
 * nothing; it is called during this call, with no lock of the recording held. Thread-safe. Called by
 * plan/record_launch.c. */
void cx_recording_once(void (*write_line)(FILE *out, const void *of), const void *of);

#endif
