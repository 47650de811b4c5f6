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

#include <stdbool.h>

struct cx_launch;
struct cx_program;

/* A program is built: what it is analysed as, nothing where it has no text; options are those of this build.
 */
void cx_record_program(const struct cx_program *program);
/* A launch is decided: its reason is set. Only the first of several alike is written. context->lock held. */
void cx_record_launch(const struct cx_launch *launch, bool split);

#endif
