/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are not known exactly: affine forms over bounded variables, with slack.
 *
 * A form stands for a value V = sum of k_i * t_i + e, where each variable t_i lies in its range, e in [lo,
 * hi], and V also in [min, max]. The bits of a node of width w are V modulo 2^w, so additions and products
 * need no overflow check; only where an operation reads its operand as signed or unsigned (widening,
 * division, comparison) must V be brought into that range, and where that is not possible all is lost but the
 * width.
 *
 * Used by eval.c, bound.c and race.c only. Takes no lock.
 */
#ifndef CX_LAYER_ACCESS_FORM_H
#define CX_LAYER_ACCESS_FORM_H

#include <stdbool.h>
#include <stdint.h>

#define CX_FORM_TERMS 6
#define CX_MAX_VARS   96

enum cx_var_kind {
    CX_VAR_UNIT,     /* number of the unit (granularity many work-groups) along the split dimension; always
                        variable 0 */
    CX_VAR_ID,       /* part of a work-item's or work-group's id */
    CX_VAR_LOOP,     /* iterations of a loop so far */
    CX_VAR_OPAQUE,   /* a value nothing else is known of */
    CX_VAR_QUOTIENT, /* what a rest leaves out of the number that it is of */
};

struct cx_var {
    int64_t lo, hi;
    uint8_t kind; /* enum cx_var_kind */
    bool exact;   /* each value in the range is taken on, whatever the other variables are */
};

struct cx_vars {
    struct cx_var var[CX_MAX_VARS];
    unsigned count;
};

struct cx_term {
    unsigned var;
    int64_t k;
};

struct cx_form {
    int64_t lo, hi;
    int64_t min, max; /* INT64_MIN and INT64_MAX: or beyond */
    uint8_t nterm;
    bool loose; /* evaluated with a narrower range of the unit variable it could be tighter */
    struct cx_term term[CX_FORM_TERMS];
};

struct cx_form cx_form_const(int64_t value);
struct cx_form cx_form_interval(int64_t lo, int64_t hi);
struct cx_form cx_form_var(const struct cx_vars *vars, unsigned var, int64_t k);
/* Any value of that width. Called by eval.c. */
struct cx_form cx_form_top(unsigned width, bool loose);
/* Intersects the bounds; lo <= hi must leave something. Called by eval.c. */
struct cx_form cx_form_clip(struct cx_form f, int64_t lo, int64_t hi);

/* Whether the form is one number, `lo`: no variables and no slack. Called by bound.c, eval.c and race.c. */
bool cx_form_is_const(const struct cx_form *f);
/* The value is somewhere in 64 bits. Called by bound.c and eval.c. */
bool cx_form_is_unbounded(const struct cx_form *f);
/* Factor of a variable, 0 where it is not in the form. Called by bound.c, eval.c and guard.c. */
int64_t cx_form_factor(const struct cx_form *f, unsigned var);
/* Range of the form without its bounds, with saturation. Called by bound.c and guard.c. */
void cx_form_hull(const struct cx_vars *vars, const struct cx_form *f, int64_t *lo, int64_t *hi);

/* a + sign * b, a * b (sign is 1 or -1); width is that of the node, for when the result cannot be kept.
 * Called by eval.c and guard.c. */
struct cx_form cx_form_add(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           int sign, unsigned width);
struct cx_form cx_form_mul(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           unsigned width);
/* Rounded down; d > 0; the form is taken as the number it is. Called by eval.c. */
struct cx_form cx_form_div(const struct cx_vars *vars, const struct cx_form *a, int64_t d);
/* a - d * floor(a / d). Called by eval.c. */
struct cx_form cx_form_mod(const struct cx_vars *vars, const struct cx_form *a, int64_t d);
/* One of the two. Called by eval.c. */
struct cx_form cx_form_union(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                             unsigned width);
/* The smaller one; with flip the larger one. Called by eval.c. */
struct cx_form cx_form_min(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           bool flip, unsigned width);
/*
 * The form read as a signed or unsigned number of that width. False where it is not known to lie in one
 * period; then *out is any value of the width. Called by bound.c, eval.c and guard.c.
 */
bool cx_form_read(const struct cx_form *f, unsigned width, bool sign, struct cx_form *out);

/* Arithmetic that stops at the ends. Called by access/. */
int64_t cx_sat_add(int64_t a, int64_t b);
int64_t cx_sat_mul(int64_t a, int64_t b);
/* Rounded down; d > 0. Called by bound.c, guard.c and stride.c. */
int64_t cx_floor_div(int64_t a, int64_t d);

#endif
