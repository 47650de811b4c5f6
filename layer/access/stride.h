/* SPDX-License-Identifier: MIT */
/*
 * Strided sets: what an access touches as rows in up to two levels, and the proof that two such sets are
 * apart although their hulls are not.
 *
 * Previous stage: bound.c (the affine form of an access). Next stages: protocol.c (proofs) and
 * box.c (regions of packages).
 */
#ifndef CX_LAYER_ACCESS_STRIDE_H
#define CX_LAYER_ACCESS_STRIDE_H

#include "layer/access/eval.h"

#define CX_SHAPE_LEVELS 2

/*
 * What an access touches with units first..last is among these bytes, for unit t:
 *
 *     off + s * t + r + stride[0] * d[0] + stride[1] * d[1],  0 <= r < run,  0 <= d[i] < count[i]
 *
 * of which only those count that lie in [min, max) and whose low part, off + s * t + r, lies in [low, high).
 * Each stride is at least the extent of what one unit touches below it.
 */
struct cx_shape {
    bool exact; /* a run of units touches all of these bytes for certain */
    uint8_t levels;
    int64_t s, off, run;
    int64_t low, high;
    int64_t min, max;
    int64_t first, last;
    int64_t stride[CX_SHAPE_LEVELS], count[CX_SHAPE_LEVELS];
    /*
     * Where the low part has gaps that a unit is a whole number of: it lies in the rows row_off + s * t + row
     * * i + [0, row_run), 0 <= i < rows. row 0: it has none. For boxes that are nice to have; no proof looks
     * at them.
     */
    int64_t row, row_off, row_run, rows;
    bool row_exact; /* as exact, of the rows */
};

/* A term of a form that lies above the low part; stride and count are at least 1. */
struct cx_step {
    int64_t stride, count;
};

/* The shape of an access with a known bound, as one run. Called by box.c. */
struct cx_shape cx_shape_of_bound(const struct cx_bound *bound);
/*
 * Adds levels for these steps to a shape without levels. With s == 0 the low part grows by the steps that
 * leave no gap. False: the steps do not fit into the levels. Called by bound.c.
 */
bool cx_shape_stack(struct cx_shape *shape, struct cx_step *step, unsigned count);
/* Finds the rows of the low part, made of these steps and runs of `run` bytes; row_exact is then whether they
 * are dense. Called by bound.c. */
void cx_shape_find_rows(struct cx_shape *shape, struct cx_step *step, unsigned count, int64_t run);
/* Finds the shape of an access, after cx_eval_run() for all units. False: it has only that of its bound.
 * Called by box.c. */
bool cx_eval_shape(struct cx_eval *ev, const struct cx_access_record *record, struct cx_shape *shape);

/* The hull of all units' low parts and rows. Called by box.c. */
int64_t cx_shape_end(const struct cx_shape *shape);
/* The number of rows: the product of the counts. Called by box.c. */
int64_t cx_shape_rows(const struct cx_shape *shape);

/* Whether no two rows of any units overlap. Called by protocol.c. */
bool cx_shape_is_strict(const struct cx_shape *shape);
/* Converts a shape to a bound. Called by race.c. */
struct cx_bound cx_shape_bound(const struct cx_shape *shape);

/* How far apart two shapes are. */
enum cx_apart {
    CX_APART_NOT = 0,
    CX_APART_UNITS, /* what x touches with one unit, y does not touch with another one, nor do their runs */
    CX_APART_ALWAYS /* not with the same one either */
};
/* How far apart two shapes are, after y is moved up by `by` bytes. Called by box.c and race.c. */
enum cx_apart cx_shape_apart(const struct cx_shape *x, const struct cx_shape *y, int64_t by);

/* Extends x to contain y, if one shape can do so without containing much else; with tight, only if runs stay
 * within a step of the unit. Called by box.c. */
bool cx_shape_merge(struct cx_shape *x, const struct cx_shape *y, bool tight);

#endif
