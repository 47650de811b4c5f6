/* SPDX-License-Identifier: MIT */
/*
 * Proofs that hold for any border that a launch may be cut at: for every border b, what units before b write
 * of an object is disjoint from what units from b on write, and neither side reads what the other writes.
 *
 * Previous stage: bound.c (bounds of the accesses). Next stage: protocol.c.
 */
#ifndef CX_LAYER_ACCESS_PROOF_H
#define CX_LAYER_ACCESS_PROOF_H

#include "layer/access/eval.h"

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

/* What prevents a proof. */
struct cx_fault {
    enum cx_summary_reason reason; /* CX_REASON_NONE: nothing */
    const struct cx_access_record *record;
    uint32_t other; /* the line of the other access, where two are at fault; 0: there is none, or unknown */
};

/* Whether for one object the units' writes are disjoint, and so are the intervals that contain them; atomics
 * are writes (and reads). Called by protocol.c. */
bool cx_proof_writes(const struct cx_proof *proof, uint64_t object, struct cx_fault *fault);
/* Whether x before any border is disjoint from y after it, in this direction. Called by race.c. */
bool cx_proof_apart(const struct cx_bound *x, const struct cx_bound *y, int64_t units);
/* Whether for one argument the hull of no package's reads contains what another package writes. Called by
 * protocol.c. */
bool cx_proof_reads(const struct cx_proof *proof, uint32_t arg, struct cx_fault *fault);
/* Like the function above, by the lists of units. Called by protocol.c. */
bool cx_proof_listed_writes(const struct cx_proof *proof, uint64_t object);
bool cx_proof_listed_reads(const struct cx_proof *proof, uint64_t object);

#endif
