/* SPDX-License-Identifier: MIT */
/*
 * Loops that have to be unrolled before indices can be followed: those that run through a private array of
 * indices, or through a table of constants that places depend on.
 *
 * Previous stage: pipeline.c, which simplifies the module and asks here. Next stage: pipeline.c unrolls.
 */
#ifndef CX_LAYER_ANALYSER_UNROLL_H
#define CX_LAYER_ANALYSER_UNROLL_H

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stdint.h>

/* Of a store in such a loop: the number, unlike those of other stores, that all its copies will have. */
#define CX_METADATA_STORE "coexec.store"

/*
 * Marks the loops of a kernel that LLVM's loop-unroll is to unroll in full, and all others that it must leave
 * alone. *room: how many instructions unrolling may still add to the module; becomes less. Returns whether
 * any are marked to be unrolled. Called by pipeline.c.
 */
bool cx_unroll_mark(LLVMValueRef kernel, uint64_t *room);
/* Marks all loops to be left alone. Called by pipeline.c. */
void cx_unroll_forbid(LLVMValueRef function);

/* Whether the comparison holds of two numbers, of which the lowest `width` bits count, 1 to 64. Called by
 * sentinel.c and unroll.c. */
bool cx_unroll_compare(LLVMIntPredicate pred, uint64_t a, uint64_t b, unsigned width);

#endif
