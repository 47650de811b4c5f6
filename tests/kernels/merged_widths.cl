/* SPDX-License-Identifier: MIT */
/* Unknown places, bytes and words of one buffer: bytes decide. */
// expect: split
// kernel: merged_widths
// arg: buffer int X*2
// arg: buffer int X order
// writes: 0 unknown
// part: 8..10 reads 1 2048..2560
// way: 0 merge 1
__kernel void merged_widths(__global int *data, __global const int *index)
{
    size_t i = get_global_id(0);
    int at = index[i];
    data[2 * at] = (int)i;
    ((__global uchar *)data)[8 * at + 5] = (uchar)i;
}
