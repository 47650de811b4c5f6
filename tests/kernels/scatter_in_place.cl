/* SPDX-License-Identifier: MIT */
/* Increments elements in a random order: each is read and written once. */
// expect: split
// kernel: scatter_in_place
// arg: buffer int X
// arg: buffer int X order
// writes: 0 unknown
// reads: 0 unknown
// part: 8..10 reads 1 2048..2560
// way: 0 merge 4
// before: 0
__kernel void scatter_in_place(__global int *data, __global const int *index)
{
    int at = index[get_global_id(0)];
    data[at] = data[at] * 2 + 1;
}
