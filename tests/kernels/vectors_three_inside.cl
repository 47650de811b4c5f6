/* SPDX-License-Identifier: MIT */
/* vstore3 from the second element on. */
// expect: split
// kernel: vectors_three_inside
// arg: buffer int X*3+8
// way: 0 own
// part: 8..10 writes 0 6148..7684 exact
__kernel void vectors_three_inside(__global int *o)
{
    size_t i = get_global_id(0);
    vstore3((int3)(i, 1, 2), i, o + 1);
    if (i == 0)
        o[0] = 4;
}
