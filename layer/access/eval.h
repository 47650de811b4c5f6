/* SPDX-License-Identifier: MIT */
/*
 * Evaluates the expressions of one kernel for one launch: nodes to forms, loops to trip counts, accesses to
 * intervals that follow the unit of work-groups.
 *
 * Previous stage: access.h (the launch's numbers). Next stage: proof.c and the packages in access.c.
 */
#ifndef CX_LAYER_ACCESS_EVAL_H
#define CX_LAYER_ACCESS_EVAL_H

#include "layer/access/access.h"
#include "layer/access/form.h"

/* The launch's numbers as the evaluation uses them. */
struct cx_launch {
    const struct cx_summary_kernel *kernel;
    const struct cx_access_arg *args; /* values copied by the owner */
    uint32_t work_dim;
    int64_t offset[3], global[3], local[3], groups[3];
    unsigned dim;        /* split along this one */
    int64_t granularity; /* work-groups a unit */
    int64_t units;
};

enum cx_loop_state {
    CX_LOOP_NEW = 0,
    CX_LOOP_BOUNDED,
    CX_LOOP_GUARDED, /* bounded, and an access that has the loop's guard is done in just the iterations it
                        lets in */
    CX_LOOP_UNBOUNDED
};

struct cx_eval {
    struct cx_launch launch;
    struct cx_vars vars;
    struct cx_form *form;    /* by node */
    struct cx_form *scratch; /* by node: evaluation under other assumptions */
    int16_t *node_var;       /* variable that stands for a node's unknown value, -1: none */
    uint8_t *needed;         /* by node, for one question */
    uint8_t *loop_state;
    int16_t *loop_var;
    int16_t id_var[3][2]; /* local id and group id (or both in one) by dimension, -1: none yet */
    bool joined[3];       /* the global id is one variable: nothing uses its parts */
    bool assume;          /* take it that nothing wraps: a guess to be checked */
};

/* Bytes an access touches, as far as it depends on the unit t: [s * t + lo, s * t + hi) within [min, max). */
struct cx_bound {
    bool empty;   /* never executed in this launch */
    bool known;   /* otherwise anything */
    bool loose;   /* narrower units would give narrower intervals */
    bool guessed; /* depends on a value of which only the range is known */
    bool exact;   /* all these bytes are touched, for any run of units */
    int64_t s, lo, hi;
    int64_t min, max;
    int64_t first, last; /* units that execute it */
};

/* Initialises the evaluation of a launch. The caller gives memory for all arrays: cx_eval_size() bytes,
 * 16-byte aligned. Called by access.c. */
size_t cx_eval_size(const struct cx_summary_kernel *kernel);
void cx_eval_init(struct cx_eval *ev, const struct cx_launch *launch, void *memory);
/* Evaluates all nodes for the units first..last. Called by access.c and package.c. */
void cx_eval_run(struct cx_eval *ev, int64_t first, int64_t last);
/* The bytes of an access, after cx_eval_run(). Called by access.c and package.c. */
void cx_eval_access(struct cx_eval *ev, const struct cx_access_record *record, struct cx_bound *bound);

/* Evaluates the nodes [0, upto] that are marked in `needed` (NULL: all) into `form`. Called by bound.c and
 * guard.c. */
void cx_eval_nodes(struct cx_eval *ev, struct cx_form *form, const uint8_t *needed, uint32_t upto);
/* Marks the node and its operands in ev->needed; clears the marks of other nodes before it. Called by bound.c
 * and guard.c. */
void cx_eval_mark(struct cx_eval *ev, int32_t node, bool clear);
/* Adds a variable and returns its index; -1: there are too many. Called by guard.c. */
int cx_eval_new_var(struct cx_eval *ev, enum cx_var_kind kind, int64_t lo, int64_t hi, bool exact);

/* Removes the variables added since there were `count`, whose ranges hold only under an assumption. Called by
 * bound.c. */
void cx_eval_forget_vars(struct cx_eval *ev, unsigned count);

/* Converts a guard to at most two conditions "form <= 0". Called by bound.c. */
struct cx_conditions {
    struct cx_form f[2];
    unsigned count;
    bool complete; /* together they say all that the guard says */
};
void cx_eval_guard(struct cx_eval *ev, const struct cx_form *form, const struct cx_guard *guard,
                   struct cx_conditions *out);
/* Finds the trip counts of loops, as far as possible. Called by eval.c. */
void cx_eval_loops(struct cx_eval *ev);

#endif
