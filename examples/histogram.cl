/* SPDX-License-Identifier: MIT */
/*
 * Counts how many values fall into each of several bins of equal width. Regular but for collisions: all work-
 * items add to the same counters in global memory, atomically and without using the old value.
 */
__kernel void histogram(__global const uint *values, ulong n, __global uint *counts, uint bins)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    atomic_inc(&counts[mul_hi(values[i], bins)]);
}
