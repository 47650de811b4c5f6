/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are not known exactly: affine forms over bounded variables, with slack.
 *
 * A form stands for a value V = sum of k_i * t_i + e, where each variable t_i lies in its range, e in [lo,
 * hi], and V also in [min, max]. The bits of a node of width w are V modulo 2^w, so additions and products
 * need no overflow check; only where an operation reads its operand as signed or unsigned (widening,
 * division, comparison) must V be brought into that range, and if that is not possible, only the width
 * remains known.
 *
 * Used by access/. Takes no lock.
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
/* The form of a value of which only the width is known. Called by eval.c. */
struct cx_form cx_form_top(unsigned width, bool loose);
/* Intersects the form's bounds with [lo, hi]; the intersection must not be empty. Called by eval.c. */
struct cx_form cx_form_clip(struct cx_form f, int64_t lo, int64_t hi);

/* Whether the form is one number, `lo`: no variables and no slack. Called by bound.c, eval.c, race.c and
 * radix_eval.c. */
bool cx_form_is_const(const struct cx_form *f);
/* Whether nothing is known of the value but that it has 64 bits. Called by bound.c and eval.c. */
bool cx_form_is_unbounded(const struct cx_form *f);
/* Factor of a variable, 0 where it is not in the form. Called by bound.c, eval.c and guard.c. */
int64_t cx_form_factor(const struct cx_form *f, unsigned var);
/* The range of the form's sum, without its bounds; saturating. Called by bound.c and guard.c. */
void cx_form_hull(const struct cx_vars *vars, const struct cx_form *f, int64_t *lo, int64_t *hi);

/* The forms of a + sign * b (sign is 1 or -1) and a * b. width: of the node, for a result that no form can
 * express. Called by eval.c and guard.c. */
struct cx_form cx_form_add(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           int sign, unsigned width);
struct cx_form cx_form_mul(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           unsigned width);
/* The form divided by d, rounded down; d > 0. The form stands for its exact value, not modulo 2^w. Called by
 * eval.c. */
struct cx_form cx_form_div(const struct cx_vars *vars, const struct cx_form *a, int64_t d);
/* The form of a - d * floor(a / d). Called by eval.c. */
struct cx_form cx_form_mod(const struct cx_vars *vars, const struct cx_form *a, int64_t d);
/* A form that holds the values of both. Called by eval.c. */
struct cx_form cx_form_union(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                             unsigned width);
/* The form of the smaller one; with flip of the larger one. Called by eval.c. */
struct cx_form cx_form_min(const struct cx_vars *vars, const struct cx_form *a, const struct cx_form *b,
                           bool flip, unsigned width);
/*
 * The form read as a signed or unsigned number of that width. False where it is not known to lie in one
 * period; then *out is any value of the width. Called by bound.c, eval.c and guard.c.
 */
bool cx_form_read(const struct cx_form *f, unsigned width, bool sign, struct cx_form *out);

/* Saturating arithmetic. Called by access/. */
int64_t cx_sat_add(int64_t a, int64_t b);
int64_t cx_sat_mul(int64_t a, int64_t b);
/* Quotient rounded down; d > 0. Called by access/. */
int64_t cx_floor_div(int64_t a, int64_t d);

#endif
