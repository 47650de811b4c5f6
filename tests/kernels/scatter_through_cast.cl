/* SPDX-License-Identifier: MIT */
/* Unknown places through a cast: the narrowest store decides. */
// expect: split
// kernel: scatter_through_cast
// arg: buffer int X
// arg: buffer int X order
// writes: 0 unknown
// part: 8..10 reads 1 2048..2560
// way: 0 merge 2
__kernel void scatter_through_cast(__global int *out, __global const int *index)
{
    __global ushort *halves = (__global ushort *)out;
    size_t i = get_global_id(0);
    halves[2 * index[i] + (i & 1)] = (ushort)i;
}
