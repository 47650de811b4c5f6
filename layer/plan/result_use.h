/* SPDX-License-Identifier: MIT */
/*
 * What a program does with the results of launches: whether the next that uses them is the host. Programs do
 * the same in each round, so what followed the last launch of a kernel is expected of the next one: its
 * results are sent home in parts while it runs (write_back.h), although nobody asks for them yet.
 *
 * Counted for each argument of a kernel function: a launch that writes through it leaves a mark on the memory
 * object, which a read or mapping of at least half of that takes off again. A mark that the next launch with
 * the object finds was a wrong guess; after one it must hold twice before it is counted on again.
 * Thread-safety: under context->lock.
 */
#ifndef CX_LAYER_PLAN_RESULT_USE_H
#define CX_LAYER_PLAN_RESULT_USE_H

#include "layer/memory/result_mark.h"

#include <stdbool.h>
#include <stddef.h>

struct cx_args;
struct cx_kernel_history;
struct cx_mem;
struct cx_summary_kernel;
struct cx_worker;

/* A launch of the function with these arguments is planned, to run whole on the worker's device or (NULL) on
 * several. summary: cx_kernel_accesses (launch_prepare.h). */
void cx_result_use_launch(const struct cx_args *args, const struct cx_summary_kernel *summary,
                          struct cx_kernel_history *history, const struct cx_worker *worker);
/* The host reads, or maps for reading, so many bytes of the root. */
void cx_result_use_read(struct cx_mem *root, size_t bytes, bool maps);
/* Whether the host is expected to read next what launches of the function write through the argument: 0: no;
 * else after how many of them in a row it did. */
unsigned cx_result_use_expects(const struct cx_kernel_history *history, unsigned arg);
/* Whether that is a mapping. */
bool cx_result_use_maps(const struct cx_kernel_history *history, unsigned arg);

#endif
