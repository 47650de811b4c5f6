/* SPDX-License-Identifier: MIT */
/* The dimension asked for is data. */
// expect: split
// kernel: ids_chosen
// dims: 2
// arg: buffer int X*Y below 2
// arg: buffer ulong X*Y
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 4096..6144
// way: 1 own
// part: 4..6 writes 1 8192..12288 exact
__kernel void ids_chosen(__global const int *which, __global ulong *out, int width)
{
    size_t i = get_global_id(1) * width + get_global_id(0);
    uint d = which[i];
    out[i] = get_global_id(d) + 1000 * get_global_size(d) + 1000000 * get_group_id(d);
}
