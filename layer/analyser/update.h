/* SPDX-License-Identifier: MIT */
/*
 * Loops that are one atomic operation: an update that the language has no function for, written as "read,
 * compute, compare-exchange, again if somebody was faster", or as a pair of exchanges.
 *
 * Previous stage: build.h. Next stage: scan.c, which records the update in place of what the loop is made of.
 */
#ifndef CX_LAYER_ANALYSER_UPDATE_H
#define CX_LAYER_ANALYSER_UPDATE_H

#include "layer/analyser/build.h"

/* In the map: instructions of such loops to CX_UPDATE_PART, or, the one that stands for the whole, to its
 * enum cx_atomic_op. */
enum { CX_UPDATE_PART = 0 };

/* Loops in which nothing else happens and whose old value is used for nothing else. Called by scan.c. */
void cx_update_find(struct cx_build *b, struct cx_map *found);

#endif
