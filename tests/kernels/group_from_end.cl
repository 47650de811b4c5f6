/* SPDX-License-Identifier: MIT */
/* The last group first. */
// expect: split
// kernel: group_from_end
// arg: buffer int W
// arg: buffer int W
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 1536..2048 exact
__kernel void group_from_end(__global const int *in, __global int *out)
{
    size_t g = get_num_groups(0) - 1 - get_group_id(0);
    out[g * get_local_size(0) + get_local_id(0)] = in[get_group_id(0) * get_local_size(0) + get_local_id(0)];
}
