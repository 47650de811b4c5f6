/* SPDX-License-Identifier: MIT */
/* The scatter step of a sort by counts. */
// expect: split
// kernel: radix_scatter
// arg: buffer uint X
// arg: buffer int X order
// arg: buffer uint X
// arg: buffer ushort X
// arg: buffer ushort X
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// part: 8..10 reads 3 1024..1280
// writes: 4 unknown
// way: 2 merge 4
// way: 4 merge 2
__kernel void radix_scatter(__global const uint *keys, __global const int *place, __global uint *sorted,
                            __global const ushort *values, __global ushort *carried)
{
    size_t i = get_global_id(0);
    int at = place[i];
    sorted[at] = keys[i];
    carried[at] = values[i];
}
