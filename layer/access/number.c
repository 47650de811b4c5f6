/* SPDX-License-Identifier: MIT */
/* Arithmetic of whole numbers. See number.h. */
#include "layer/access/number.h"

int64_t cx_number_size(int64_t k)
{
    return k < 0 ? -k : k;
}

bool cx_number_is_far(int64_t k)
{
    return k <= -CX_NUMBER_FAR || k >= CX_NUMBER_FAR;
}

int64_t cx_number_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return cx_number_size(a);
}
