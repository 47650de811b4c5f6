/* SPDX-License-Identifier: MIT */
/* How much a work-item has to do at most, as far as the program's text tells. */
#ifndef CX_LAYER_ANALYSER_EFFORT_H
#define CX_LAYER_ANALYSER_EFFORT_H

#include "layer/analyser/build.h"

/* Sets kernel->steps, and `times` of its loops, one for each of b->cfg.loop. Called by kernel.c. */
void cx_effort_find(const struct cx_build *b, struct cx_summary_kernel *kernel);

#endif
