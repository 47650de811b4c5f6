/* SPDX-License-Identifier: MIT */
/* Averages as places. */
// expect: split
// kernel: index_averaged
// arg: buffer int X+4
// arg: buffer int 4
// way: 0 merge 4
// writes: 0 unknown
__kernel void index_averaged(__global int *o, __global int *p)
{
    uint i = get_global_id(0);
    o[hadd(i, i + 1u)] = (int)i;
    if (i == 0)
        p[rhadd(i, 1u) - 1u] = 0;
}
