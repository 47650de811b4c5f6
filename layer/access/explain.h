/* SPDX-License-Identifier: MIT */
/*
 * Turns access summaries into text for people: verdict, what prevents a split, and what each argument's
 * accesses touch in the kernel's own terms.
 *
 * Previous stage: layer/access/summary.h. Used by `coexec explain` and `coexec-analyse --explain`.
 */
#ifndef CX_LAYER_ACCESS_EXPLAIN_H
#define CX_LAYER_ACCESS_EXPLAIN_H

#include "layer/access/summary.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the text of all kernels of a program, with an empty line between two. Called by coexec-analyse
 * --explain, which `coexec explain` starts. */
void cx_explain_summary(FILE *out, const struct cx_summary *summary, const char *file);
/* Writes one expression, such as "4 * gid(0) + n", into buf (always terminated; cut with "..." where it does
 * not fit). Called by explain.c and explain_image.c. */
void cx_explain_expr(char *buf, size_t size, const struct cx_summary_kernel *kernel, int32_t node);

#ifdef __cplusplus
}
#endif

#endif
