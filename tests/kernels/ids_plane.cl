/* SPDX-License-Identifier: MIT */
/* Every work-item function in two dimensions. */
// expect: split
// kernel: ids_plane
// dims: 2
// arg: buffer ulong X*Y*4
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 32768..49152 exact
__kernel void ids_plane(__global ulong *out, int width)
{
    __global ulong *to = out + (get_global_id(1) * width + get_global_id(0)) * 4;
    to[0] = get_work_dim() + 10 * get_global_size(0) + 10000 * get_global_size(1);
    to[1] = get_local_size(0) + 100 * get_local_id(0) + 10000 * get_local_size(1) + 1000000 * get_local_id(1);
    to[2] = get_num_groups(0) + 1000 * get_group_id(0) + 1000000 * get_num_groups(1) + 1000000000 * get_group_id(1);
    to[3] = get_global_offset(0) + 1000 * get_global_offset(1);
}
