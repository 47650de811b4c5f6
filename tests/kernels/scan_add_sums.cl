/* SPDX-License-Identifier: MIT */
/* Adds each group's base to a scan. */
// expect: split
// kernel: scan_add_sums
// arg: buffer int X
// arg: buffer int G
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 32..40
__kernel void scan_add_sums(__global int *data, __global const int *base)
{
    data[get_global_id(0)] += base[get_group_id(0)];
}
