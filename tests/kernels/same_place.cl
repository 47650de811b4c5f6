/* SPDX-License-Identifier: MIT */
/* All items write one element. */
// expect: whole (every package writes the same bytes)
// kernel: same_place
// arg: buffer int 4
__kernel void same_place(__global int *out)
{
    out[1] = 42;
}
