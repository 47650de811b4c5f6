/* SPDX-License-Identifier: MIT */
/* Adds each group's base to a scan. */
// expect: split
// kernel: scan_add_sums
// arg: buffer int X
// arg: buffer int G
__kernel void scan_add_sums(__global int *data, __global const int *base)
{
    data[get_global_id(0)] += base[get_group_id(0)];
}
