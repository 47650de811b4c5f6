/* SPDX-License-Identifier: MIT */
/* Arithmetic of whole numbers that several proofs need. No number may be INT64_MIN. Pure functions. */
#ifndef CX_LAYER_ACCESS_NUMBER_H
#define CX_LAYER_ACCESS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Sums of a few numbers nearer to 0 than this do not overflow. */
#define CX_NUMBER_FAR (INT64_MAX / 16)

/* The number without its sign. Called by access/. */
int64_t cx_number_size(int64_t k);
/* Whether it is no nearer to 0 than CX_NUMBER_FAR. Called by bound.c, delinear.c and stride.c. */
bool cx_number_is_far(int64_t k);
/* The greatest common divisor, at least 0; of 0 and another number: that one's size. Called by access/. */
int64_t cx_number_gcd(int64_t a, int64_t b);

#endif
