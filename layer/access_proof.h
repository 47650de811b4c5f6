/* SPDX-License-Identifier: MIT */
/*
 * Proof that a launch may be cut at any border: for every border b, what units before b write is disjoint
 * from what units from b on write, and neither side reads what the other writes.
 *
 * Previous stage: access_bound.c (bounds of the accesses). Next stage: access.c.
 */
#ifndef CX_LAYER_ACCESS_PROOF_H
#define CX_LAYER_ACCESS_PROOF_H

#include "layer/access_eval.h"

struct cx_span {
    int64_t lo, hi; /* empty where lo >= hi */
};

/* At most this many units are looked at one by one where the bounds of the accesses alone do not prove it. */
#define CX_MAX_LISTED_UNITS 128

struct cx_proof {
    const struct cx_launch *launch;
    const struct cx_bound *bound; /* by access */
    /* intervals by argument and unit (argument * units + unit), or NULL: then the bounds are all there is */
    const struct cx_span *writes, *reads;
};

/* Sets reason, arg and line of the verdict where it cannot be proved. */
bool cx_proof_by_bounds(const struct cx_proof *proof, struct cx_access_verdict *verdict);
bool cx_proof_by_units(const struct cx_proof *proof, struct cx_access_verdict *verdict);

#endif
