/* SPDX-License-Identifier: MIT */
/*
 * Brings a module into the form the analysis reads: memory in registers, helpers inlined where they matter,
 * loops in simple form, not rotated, and unrolled only where unroll.h says so.
 *
 * Previous stage: compile.c (bitcode). Next stage: kernel.c.
 */
#ifndef CX_LAYER_ANALYSER_PIPELINE_H
#define CX_LAYER_ANALYSER_PIPELINE_H

#include <llvm-c/Core.h>

#include <stdbool.h>

bool cx_pipeline_is_kernel(LLVMValueRef function);
/* Whether a statement of inline assembly is in the function itself. Called by main.c. */
bool cx_pipeline_has_assembly(LLVMValueRef function);
/* Whether the value is a number made of an address. Called by scan_call.c. */
bool cx_pipeline_makes_address(LLVMValueRef value);
/* Whether assembly.h knows that the statement computes its outputs from its inputs alone. Called by
 * scan_call.c. */
bool cx_pipeline_is_pure_assembly(LLVMValueRef callee);
/*
 * Runs on the whole module. too_large is set (by kernel, in module order) for kernels that would grow past
 * the cap when their helpers are inlined; these are left out (without their bodies' analysis being sensible).
 * Returns NULL, or what went wrong (free with LLVMDisposeMessage()). Called by main.c.
 */
char *cx_pipeline_run(LLVMModuleRef module, bool *too_large);

#endif
