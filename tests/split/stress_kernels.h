/* SPDX-License-Identifier: MIT */
/*
 * The kernels of test_stress.c, each with its own way to touch memory, and what they do in plain C.
 */
#ifndef CX_TESTS_LAYER_STRESS_KERNELS_H
#define CX_TESTS_LAYER_STRESS_KERNELS_H

#include <CL/cl.h>
#include <stdbool.h>

enum stress_kind {
    ONE,
    STENCIL,
    IN_PLACE,
    GROUP_SUM,
    SCATTER,
    GATHER,
    SOME,
    TURN,
    COUNT,
    SCATTER_BYTES, /* narrower and wider units */
    SCATTER_SHORTS,
    SCATTER_LONGS,
    SLOTS,       /* to one of two places of the item's own */
    UPDATE,      /* of what was there before, at the item's own place */
    SAME,        /* several items, one value */
    COLUMNS,     /* a column of the rows, from a row */
    PAIRS,       /* in place: even elements, from odd ones that nobody writes */
    TWO_SCATTER, /* through two arguments */
    TALLY_ADD,   /* an atomic each, on part of the buffer */
    TALLY_SUB,
    TALLY_INC,
    TALLY_DEC,
    TALLY_MIN,
    TALLY_MAX,
    TALLY_UMIN,
    TALLY_UMAX,
    TALLY_AND,
    TALLY_OR,
    TALLY_XOR,
    TALLY_LONG_ADD,
    TALLY_LONG_MIN,
    TWO_TALLY,
    KINDS
};
extern const char stress_text[];
extern const char *const stress_name[KINDS];

/* What the buffer of indexes holds, a permutation: the place for item i. Rows of COLUMNS, and the places that
 * SAME and the tallies write. */
enum { INDEXES = 1024, ROWS = 8, BINS = 48 };
cl_uint stress_index(cl_uint i);

/* What a kind takes and touches. */
struct stress_traits {
    unsigned out_bytes, in_bytes; /* an item; 0: BINS places */
    bool indexed;                 /* takes the indexes too; INDEXES items */
    bool writes_in;               /* which is then like out */
    bool in_place;                /* there is no in */
    bool takes_k;
};
struct stress_traits stress_traits(enum stress_kind kind);
/* How many items windows of so many bytes have room for; 0: too few. */
size_t stress_room(enum stress_kind kind, size_t in_size, size_t out_size);
/* Bytes from the window's first on that a launch touches; out_bytes or in_bytes an item. */
size_t stress_bytes(unsigned bytes, size_t items);

/* Items [first, first + items) of a launch on the model; k is the kernel's number argument, TURN's width. */
void stress_model(enum stress_kind kind, cl_uint *in, cl_uint *out, size_t first, size_t items, size_t local,
                  cl_uint k);

#endif
