/* SPDX-License-Identifier: MIT */
/*
 * Where in the source something stands: line numbers as summaries have them (layer/access/summary.h), with
 * the file where it is not the program's own text but one that it includes.
 *
 * Previous stage: compile.h. Used by: kernel.c, loop.c, scan*.c.
 */
#ifndef CX_LAYER_ANALYSER_PLACE_H
#define CX_LAYER_ANALYSER_PLACE_H

#include "layer/access/summary.h"

#include <llvm-c/Core.h>

/* Of an instruction or a function; 0: unknown. Files not met before are added to the kernel's. Called by
 * analyser/. */
uint32_t cx_place_of(struct cx_summary_kernel *kernel, LLVMValueRef value);

#endif
