/* SPDX-License-Identifier: MIT */
/*
 * One kernel function to one kernel of the summary.
 *
 * Previous stage: pipeline.c. Next stage: main.c serialises or explains the summary.
 */
#ifndef CX_LAYER_ANALYSER_KERNEL_H
#define CX_LAYER_ANALYSER_KERNEL_H

#include "layer/access/summary.h"

#include <llvm-c/Core.h>

/* Name, line, attributes and arguments; nothing of what it touches. Called by main.c. */
void cx_kernel_describe(struct cx_summary_kernel *kernel, LLVMValueRef function, LLVMModuleRef module);
/* The rest; on the module that cx_pipeline_run() made. Called by main.c. */
void cx_kernel_analyse(struct cx_summary_kernel *kernel, LLVMValueRef function, LLVMModuleRef module);
/* Takes away all but the description and says why. Called by main.c. */
void cx_kernel_make_opaque(struct cx_summary_kernel *kernel, enum cx_summary_reason reason);

#endif
