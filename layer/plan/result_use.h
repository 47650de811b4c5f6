/* SPDX-License-Identifier: MIT */
/*
 * Predicts whether the host is the next to use the results of a launch. Programs repeat their rounds, so what
 * followed the last launch of a kernel is expected of the next one: then its results are written back in
 * parts while it runs (write_back.h), although no command asks for them yet.
 *
 * Counted for each argument of a kernel function: a launch that writes through it marks the memory object,
 * and a read or mapping of at least half of the object removes the mark. If the next launch with the object
 * finds the mark, the prediction was wrong; after that, two correct ones are needed before it is used again.
 * Thread-safety: under context->lock.
 */
#ifndef CX_LAYER_PLAN_RESULT_USE_H
#define CX_LAYER_PLAN_RESULT_USE_H

#include "layer/memory/result_mark.h"
#include "layer/memory/write_place.h"

#include <stdbool.h>
#include <stddef.h>

struct cx_args;
struct cx_kernel_history;
struct cx_mem;
struct cx_summary_kernel;
struct cx_worker;

/* A launch of the function with these arguments is planned, to run whole on the worker's device or (NULL) on
 * several. kind, risk: write_place.h. summary: cx_launch_accesses (launch_prepare.h). Called by plan.c and
 * launch/replay.c. */
void cx_result_use_launch(const struct cx_args *args, const struct cx_summary_kernel *summary,
                          struct cx_kernel_history *history, const struct cx_worker *worker,
                          enum cx_use_kind kind, double risk) CX_HOLDS(cx_context_locked);
/* Called when the host reads, or maps for reading, that many bytes of the root. */
void cx_result_use_read(struct cx_mem *root, size_t bytes, bool maps) CX_HOLDS(cx_context_locked);
/* Whether the host is expected to read what launches of the function write through the argument. 0: no; else
 * how many times in a row it did. Called by making_cost.c, plan_stake.c, launch/write_back.c and
 * launch/write_back_slices.c. */
unsigned cx_result_use_expects(const struct cx_kernel_history *history, unsigned arg)
    CX_HOLDS(cx_context_locked);
/* Whether the expected read is a mapping. Called by launch/write_back.c. */
bool cx_result_use_maps(const struct cx_kernel_history *history, unsigned arg) CX_HOLDS(cx_context_locked);

#endif
