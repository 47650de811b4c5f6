/* SPDX-License-Identifier: MIT */
/*
 * For tests of what the layer writes on standard error, and of what it reads from the environment.
 */
#ifndef CX_TESTS_LAYER_CAPTURE_H
#define CX_TESTS_LAYER_CAPTURE_H

#include "tap.h"

/* From here on standard error goes into a temporary file. */
void capture_start(void);
/* Ends that and gives what was written: static memory, valid till the next call. */
const char *capture_end(void);

/* Unsets every variable that the layer or its tests' drivers read. */
void clean_environment(void);
/* Sets variables as set_variable does: name, value, name, value, ..., NULL. */
void set_environment(const char *name, ...);

#endif
