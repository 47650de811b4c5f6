/* SPDX-License-Identifier: MIT */
/* The inside of the generator: generator_make.c (kernels), generator_stmt.c (statements), generator_index.c
 * (values and places). */
#ifndef CX_TESTS_ANALYSER_GENERATOR_MAKE_H
#define CX_TESTS_ANALYSER_GENERATOR_MAKE_H

#include "generator.h"

/* What may be named where something is generated. */
struct scope {
    struct gen_kernel *k;
    struct cx_random *r;
    uint8_t var[GEN_VARS], fixed[GEN_VARS]; /* fixed: may not be assigned */
    uint8_t ptr[GEN_PTRS];
    unsigned nvar, nptr;
    bool helper;  /* no parameters, local arrays and helpers */
    bool uniform; /* all work-items are here */
    bool loop, may_return, no_break;
    unsigned depth;
};

bool make_chance(struct scope *s, unsigned percent);
unsigned make_below(struct scope *s, unsigned below);

int make_expr(struct scope *s, struct gen_expr e);
int make_const(struct scope *s, unsigned type, int64_t value);
int make_var(struct scope *s, unsigned var);
int make_item(struct scope *s, unsigned item, unsigned dim);
/* Sums, differences and products of signed numbers are made where they are small, or in unsigned types. */
int make_binary(struct scope *s, unsigned op, int a, int b);
/* a / by or a % by, where make_binary() would choose what to divide by. */
int make_divided(struct scope *s, unsigned op, int a, unsigned by);
int make_cast(struct scope *s, unsigned type, int a);
/* A value: any. */
int make_value(struct scope *s, unsigned depth);
/* Digits in any order, some with gaps between their places; rarely with too little room. */
struct gen_ring make_ring_layout(struct scope *s);
/* The place of a number by its digits, each moved around its ring; rarely around one of another size. */
int make_ring(struct scope *s, int value, const struct gen_ring *ring);
/* The work-item's number, or its place in a ring: another one for each, mostly. */
int make_own_number(struct scope *s);
/* A sum of products of ids, sizes, loop variables and arguments. */
int make_affine(struct scope *s);
/* A value that is the same in all work-items of a group, and small. */
int make_uniform(struct scope *s);
int make_condition(struct scope *s);
/* An index below count. */
int make_wrapped(struct scope *s, int value, unsigned count);

/* Images as further parameters; a texel read, or -1; a statement that writes one, or -1. */
void make_image_params(struct scope *s);
int make_image_read(struct scope *s);
int make_image_write(struct scope *s);

enum make_use { USE_LOAD, USE_STORE, USE_COMPOUND, USE_ATOMIC };
/* A place for that use, or -1 where there is none; *nullable: the parameter that must be there, -1: none. */
int make_ref(struct scope *s, enum make_use use, int *nullable);
/* The address of an element of that kind for a pointer; -1 where there is none. el -1: any. */
int make_address(struct scope *s, int el, bool written);

/* A list of statements while it grows. */
struct list {
    int first, last;
};

struct gen_stmt make_stmt(unsigned op);
int make_statement(struct scope *s, struct gen_stmt t);
void make_append(struct scope *s, struct list *l, int statement);
int make_new_var(struct scope *s, unsigned type, bool fixed);
int make_declare(struct scope *s, int value, bool tame);
int make_store(struct scope *s);
/* Some statement, or -1; may append more than one itself. */
int make_one(struct scope *s, struct list *l);
/* That many statements; the first one or -1. */
int make_body(struct scope *s, unsigned count);

#endif
