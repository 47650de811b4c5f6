/* SPDX-License-Identifier: MIT */
/* Averages as places. */
// expect: split
// kernel: index_averaged
// arg: buffer int X+4
// way: 0 merge 4
// writes: 0 unknown
__kernel void index_averaged(__global int *o)
{
    uint i = get_global_id(0);
    o[hadd(i, i + 1u)] = (int)i;
    if (i == 0)
        o[rhadd(i, 1u) - 1u] = 0;
}
