/* SPDX-License-Identifier: MIT */
/* Unknown places of eight bytes, pairs of ints: four bytes decide. */
// expect: split
// kernel: merged_pairs
// arg: buffer int2 X
// arg: buffer int X order
// writes: 0 unknown
// reads: 0 unknown
// part: 8..10 reads 1 2048..2560
// way: 0 merge 4
__kernel void merged_pairs(__global int2 *data, __global const int *index)
{
    size_t i = get_global_id(0);
    data[index[i]].y = (int)i;
}
