/* SPDX-License-Identifier: MIT */
/*
 * Nodes to sums over digits, one access after another. What a node's sum says holds for all items that the
 * ids allow; where it is not known, nothing is said.
 *
 * Previous stage: eval.h (the launch's numbers). Next stage: bijection.c.
 */
#ifndef CX_LAYER_ACCESS_RADIX_EVAL_H
#define CX_LAYER_ACCESS_RADIX_EVAL_H

#include "layer/access/eval.h"
#include "layer/access/radix.h"

struct cx_radix_eval {
    const struct cx_eval *ev; /* evaluated for all units */
    struct cx_ids ids;
    struct cx_radix *node; /* by node, where `state` says so */
    struct cx_radix *room; /* six more, so that threads need little stack */
    uint8_t *state;
};

/* False: no memory. Called by bijection.c. */
bool cx_radix_eval_init(struct cx_radix_eval *re, const struct cx_eval *ev);
void cx_radix_eval_finish(struct cx_radix_eval *re);
/* Where an access begins, in bytes from where the argument points to, and the ids of the items that may
 * execute it. Called by bijection.c. */
void cx_radix_eval_access(struct cx_radix_eval *re, const struct cx_access_record *record, struct cx_ids *ids,
                          struct cx_radix *place);

#endif
