/* SPDX-License-Identifier: MIT */
/* All items write one element. */
// expect: split
// kernel: same_place
// arg: buffer int 4
// part: 8..10 writes 0 4..8 exact
// way: 0 merge 4
__kernel void same_place(__global int *out)
{
    out[1] = 42;
}
