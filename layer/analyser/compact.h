/* SPDX-License-Identifier: MIT */
/* Drops what no access of a kernel needs from its summary. */
#ifndef CX_LAYER_ANALYSER_COMPACT_H
#define CX_LAYER_ANALYSER_COMPACT_H

#include "layer/access/summary.h"

/* The kernel must pass cx_summary_check(). Called by kernel.c. */
void cx_compact(struct cx_summary_kernel *kernel);

#endif
