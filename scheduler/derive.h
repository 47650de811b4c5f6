/* SPDX-License-Identifier: MIT */
/*
 * Derives a value at a place from values that were measured at other places: a device's relative speed, or a
 * launch's length, at a size that never ran.
 *
 * "Marrow" (section 3.3) interpolates a workload's configuration by radial basis functions over its one to
 * three dimensions, and takes that of the nearest neighbour where there are more. Here the basis is the cube
 * of the distance, which has no parameter, with a linear tail, so that a value that grows as a power of the
 * size is met exactly (caller: logarithms of both). Too few places, or places on a line or a plane, are taken
 * as what they are: by the nearest neighbour. Where values follow no
 * law over the place, told by leaving out each point in turn, their median: an interpolation swings between
 * such points. The result is kept within the span of what was measured, widened by CX_DERIVE_BEYOND, since an
 * interpolation tells little outside. Pure; reentrant.
 */
#ifndef CX_SCHEDULER_DERIVE_H
#define CX_SCHEDULER_DERIVE_H

#include <stdbool.h>

enum { CX_DERIVE_DIMS = 3, CX_DERIVE_POINTS = 24 };
#define CX_DERIVE_BEYOND 0.7 /* of a logarithm: about a factor of two */

struct cx_derive_point {
    double at[CX_DERIVE_DIMS];
    double value;
};

/* The value at a place of so many dimensions, of which only the nearest CX_DERIVE_POINTS of the n known
 * points tell. More than CX_DERIVE_DIMS dimensions are no error: the first ones tell, by the nearest
 * neighbour. A point of which a number is not finite is ignored. False: there is none. Called by
 * plan/recall.c and tools/knowledge_main.c. */
bool cx_derive(const struct cx_derive_point *known, unsigned n, unsigned dims,
               const double at[CX_DERIVE_DIMS], double *value);

#endif
