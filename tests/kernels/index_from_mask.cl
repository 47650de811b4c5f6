/* SPDX-License-Identifier: MIT */
/* A comparison of vectors is -1 where it holds. */
// expect: split
// kernel: index_from_mask
// arg: buffer int X+2
// way: 0 own
// part: 8..10 writes 0 2052..2564
__kernel void index_from_mask(__global int *o)
{
    int i = get_global_id(0);
    int2 m = (int2)(i, i) < (int2)(10, 20);
    int t = i + 1 + m.x * 1;
    o[t] = i < 10 ? i : i + 1;
}
