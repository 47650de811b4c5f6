/* SPDX-License-Identifier: MIT */
/*
 * Sets of whole numbers given by linear conditions, and the proof that there is nothing in such a set.
 *
 * Variables are eliminated one after the other (Fourier and Motzkin), with constants rounded to whole numbers
 * after each step, as in the Omega test (Pugh, "The Omega test", Supercomputing '91, without its splinters).
 * So "empty" is always true, and a set for which it is not said may be empty all the same.
 *
 * Next stage: delinear.c. No locks, no memory but the caller's.
 */
#ifndef CX_LAYER_ACCESS_POLYHEDRON_H
#define CX_LAYER_ACCESS_POLYHEDRON_H

#include <stdbool.h>
#include <stdint.h>

enum { CX_POLYHEDRON_VARS = 20, CX_POLYHEDRON_ROWS = 200 };

/* Of one condition: factor[0] * x[0] + ... + constant, which is at most 0, or is 0. */
struct cx_linear {
    int64_t factor[CX_POLYHEDRON_VARS];
    int64_t constant;
    bool equal;
};

struct cx_polyhedron {
    unsigned nvars, nrows;
    struct cx_linear row[CX_POLYHEDRON_ROWS];
};

/* Adds a condition. One that there is no room for is left out, which makes the set larger. */
void cx_polyhedron_add(struct cx_polyhedron *set, const struct cx_linear *row);
/* Whether it is proved that there are no whole numbers for which all conditions hold. The set is used up. */
bool cx_polyhedron_is_empty(struct cx_polyhedron *set);

#endif
