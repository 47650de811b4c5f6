/* SPDX-License-Identifier: MIT */
/* Reads and writes its own element of one buffer. */
// expect: split
// kernel: in_place
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
// part: 8..10 reads 0 2048..2560
__kernel void in_place(__global int *data)
{
    size_t i = get_global_id(0);
    data[i] = data[i] * 3 + 1;
}
