/* SPDX-License-Identifier: MIT */
/*
 * Loops over the numbers that a function hands out until it returns a sentinel, a number below 0:
 *
 *     while ((id = next(id)) >= 0)     with next() giving get_global_id(0), then each time get_global_size(0)
 *                                      more, and -1 at the end
 *
 * In SSA form the loop's phi gets a merge of a number and the sentinel, whose step nothing tells. Threading
 * the jumps (LLVM's jump-threading, over loop headers as well) sends what returns the sentinel to the loop's
 * end and what begins with it past the test: what is left counts by a step. That pass may take the first test
 * out of other loops, which then know less; so functions without such a phi are kept from it. Not
 * thread-safe. Previous stage: pipeline.h.
 */
#ifndef CX_LAYER_ANALYSER_SENTINEL_H
#define CX_LAYER_ANALYSER_SENTINEL_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* To be run between the two functions below. */
extern const char *const cx_sentinel_passes;

/* Whether a number below 0 is merged with others anywhere. Called by pipeline.c, before functions are
 * inlined. */
bool cx_sentinel_possible(LLVMModuleRef module);
/* Marks the functions without such a loop, so that passes leave them alone. False: no function has one, and
 * nothing is marked. Called by pipeline.c, after functions are inlined. */
bool cx_sentinel_begin(LLVMModuleRef module);
/* Takes the marks away. Called by pipeline.c. */
void cx_sentinel_end(LLVMModuleRef module);

#endif
