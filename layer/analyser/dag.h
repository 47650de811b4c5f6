/* SPDX-License-Identifier: MIT */
/*
 * The expression DAG of one kernel while it is built: equal nodes are one node, constants are folded and
 * moved outwards.
 *
 * Previous stage: build.c (LLVM values). Next stage: the summary keeps the array. Knows no LLVM.
 */
#ifndef CX_LAYER_ANALYSER_DAG_H
#define CX_LAYER_ANALYSER_DAG_H

#include "layer/analyser/map.h"
#include "layer/access/summary.h"

struct cx_dag {
    struct cx_expr *node;
    uint32_t count, room;
    struct cx_map index;
    int64_t serial;
    bool full; /* the cap was hit: nodes are no longer told apart, the kernel must be given up */
};

void cx_dag_finish(struct cx_dag *dag);
int32_t cx_dag_const(struct cx_dag *dag, unsigned width, int64_t value);
int32_t cx_dag_leaf(struct cx_dag *dag, enum cx_expr_op op, unsigned width, int32_t a, int64_t imm);
/* A value nothing is known of, equal to no other node. Called by build.c and table.c. */
int32_t cx_dag_opaque(struct cx_dag *dag, unsigned width, enum cx_opaque why);
/* A value in [lo, hi] (signed), equal to no other node. Called by build.c and table.c. */
int32_t cx_dag_range(struct cx_dag *dag, unsigned width, int64_t lo, int64_t hi);
/* A value between two nodes (signed), equal to no other node. Called by analyser/. */
int32_t cx_dag_between(struct cx_dag *dag, int32_t lo, int32_t hi);
int32_t cx_dag_loop(struct cx_dag *dag, int32_t start, int32_t step, uint32_t loop);
int32_t cx_dag_binary(struct cx_dag *dag, enum cx_expr_op op, int32_t a, int32_t b);
int32_t cx_dag_abs(struct cx_dag *dag, int32_t a);
/* A value in [0, start] of a loop's variable, equal to no other node. Called by build.c. */
int32_t cx_dag_decay(struct cx_dag *dag, int32_t start, uint32_t loop);
/* To another width: sign-extended or zero-extended or cut off; the node itself where the width is the same.
 * Called by analyser/.
 */
int32_t cx_dag_resize(struct cx_dag *dag, int32_t a, unsigned width, bool sign);
/* True and the value (sign-extended) where the node is a constant. Called by build.c, scan.c and trips.c. */
bool cx_dag_is_const(const struct cx_dag *dag, int32_t node, int64_t *value);
/* x where the condition is not 0, else y. Called by choice.c. */
int32_t cx_dag_choice(struct cx_dag *dag, int32_t condition, int32_t x, int32_t y);
/* Splits node = rest + constant; rest is -1 where nothing but the constant is left. Called by analyser/. */
int32_t cx_dag_split(struct cx_dag *dag, int32_t node, int64_t *constant);
unsigned cx_dag_width(const struct cx_dag *dag, int32_t node);

#endif
