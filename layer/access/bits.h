/* SPDX-License-Identifier: MIT */
/*
 * Bits of an expression that are the same for all work-items of a launch: what shifts, masks and small
 * factors leave known. Unlike residues (race.c) they may lie anywhere, and nothing is taken for
 * granted: a node's bits are its value modulo 2^width, as the program computes it.
 *
 * Used by race.c only. Thread-safety: no state.
 */
#ifndef CX_LAYER_ACCESS_BITS_H
#define CX_LAYER_ACCESS_BITS_H

#include "layer/access/eval.h"

/* Known bits of 64: those that are 0 and those that are 1; the others may be either. */
struct cx_bits {
    uint64_t zero, one;
};

/* Computes the known bits of all nodes of the launch's kernel, by node; the caller frees the array. NULL: no
 * memory. Called by race.c. */
struct cx_bits *cx_bits_find(const struct cx_launch *launch);
/* The known bits of a sum modulo 2^64. Called by race.c. */
struct cx_bits cx_bits_add(struct cx_bits x, int64_t constant);
/* Whether `bytes` bytes at an address with the one's known bits never overlap as many at one with the
 * other's. Called by race.c. */
bool cx_bits_apart(struct cx_bits x, struct cx_bits y, uint64_t bytes);

#endif
