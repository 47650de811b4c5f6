/* SPDX-License-Identifier: MIT */
/* Group numbers in three dimensions. */
// expect: split
// kernel: space_sizes
// dims: 3
// arg: buffer uint X*Y*Z
// arg: int X
// arg: int Y
// cut: 2 by 1
// way: 0 own
// part: 2..4 writes 0 2048..4096 exact
__kernel void space_sizes(__global uint *out, int width, int height)
{
    size_t i = (get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0);
    uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    uint local_id = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    out[i] = group * 100 + local_id + (uint)get_global_size(2) * 100000;
}
