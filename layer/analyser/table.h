/* SPDX-License-Identifier: MIT */
/*
 * Memory whose contents the program's text tells: constant tables and private arrays.
 *
 * Used by build.c (integers) and pointer.c (pointers), for loads that simplification has left.
 */
#ifndef CX_LAYER_ANALYSER_TABLE_H
#define CX_LAYER_ANALYSER_TABLE_H

#include "layer/analyser/build.h"

/* A number of `width` bits at byte `off` (a node), plus `lane` such numbers, of a read-only variable with an
 * initialiser; -1 where nothing is known. Called by build.c. */
int32_t cx_table_value(struct cx_build *b, LLVMValueRef table, int32_t off, unsigned width, unsigned lane);
/* An integer loaded from a private variable: any of those stored in it, if they are the same whenever they
 * are computed by one work-item. -1 otherwise. Called by build.c. */
int32_t cx_table_private(struct cx_build *b, LLVMValueRef load);
/* The pointers that a pointer loaded from a private variable may be; 0 where not known. Called by
 * pointer.c. */
unsigned cx_table_pointers(LLVMValueRef load, LLVMValueRef *pointers, unsigned room);
/* Whether what is stored can only be loaded again by loads that the two functions above know of. Called by
 * scan.c. */
bool cx_table_keeps(LLVMValueRef store);
/* Whether a node has one value for each work-item, whenever it is computed. Called by pointer.c. */
bool cx_table_is_stable(const struct cx_dag *dag, int32_t node);

#endif
