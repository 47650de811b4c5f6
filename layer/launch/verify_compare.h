/* SPDX-License-Identifier: MIT */
/*
 * Compares the results of two runs of a kernel in a buffer, element by element if devices may round
 * differently.
 *
 * Used by verify.c. Pure; thread-safe.
 */
#ifndef CX_LAYER_LAUNCH_VERIFY_COMPARE_H
#define CX_LAYER_LAUNCH_VERIFY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

enum cx_element_kind {
    CX_ELEMENT_UNKNOWN, /* a struct, a name of the program's own */
    CX_ELEMENT_INT,
    CX_ELEMENT_UINT,
    CX_ELEMENT_HALF,
    CX_ELEMENT_FLOAT,
    CX_ELEMENT_DOUBLE,
};

/* The elements of a buffer: scalars, or components of vectors. */
struct cx_element {
    enum cx_element_kind kind;
    unsigned size; /* bytes; UNKNOWN: 4 */
};

/* The elements of an argument of this OpenCL C type, such as "float4*". Called by verify.c. */
struct cx_element cx_verify_element_of(const char *type);

enum cx_compare_by {
    CX_COMPARE_BYTES, /* equal devices */
    /* Unlike devices: integers are equal; floating-point numbers are at most 16 units in the last place of
     * the larger one apart (half: 4), both NaN, or both below the smallest normal number. Elements of an
     * UNKNOWN kind are equal, or close as float or double numbers of ordinary size. */
    CX_COMPARE_ULPS,
    /* Sums added up in another order: as ULPS, with the units of the largest number in either buffer. */
    CX_COMPARE_SUMS,
};

struct cx_difference {
    size_t first; /* offset of the first element that differs */
    size_t bytes; /* how many differ, in elements that do */
};

/* Compares two buffers; true: nothing differs. Called by verify.c. */
bool cx_verify_compare(const void *a, const void *b, size_t size, struct cx_element element,
                       enum cx_compare_by by, struct cx_difference *difference);

/* The element at `at` as text; fewer than its bytes may be left. Called by verify.c. */
void cx_verify_element_text(char *text, size_t room, const void *at, size_t left, struct cx_element element);

#endif
