/* SPDX-License-Identifier: MIT */
/* Groups renumbered along diagonals, as old transposes do. */
// dims: 2
// kernel: diagonal_groups
// local: 4,4
// offset: no
// expect: any
// arg: buffer int W*W
// arg: buffer int W*W
// size: 64,64
// cut: 1 by 1
// part: 8..10 reads 0 0..16384
// way: 1 merge 4
// part: 8..10 writes 1 0..16384
__kernel void diagonal_groups(__global const int *in, __global int *out)
{
    uint gx = (get_group_id(0) + get_group_id(1)) % get_num_groups(0), gy = get_group_id(0);
    uint x = gx * 4 + get_local_id(0), y = gy * 4 + get_local_id(1);
    uint tx = gy * 4 + get_local_id(0), ty = gx * 4 + get_local_id(1);
    out[ty * get_global_size(0) + tx] = in[y * get_global_size(0) + x];
}
