/* SPDX-License-Identifier: MIT */
/* Every work-item function in three dimensions. */
// expect: split
// kernel: ids_space
// dims: 3
// arg: buffer ulong X*Y*Z
// arg: int X
// arg: int Y
// cut: 2 by 1
// way: 0 own
// part: 2..4 writes 0 4096..8192 exact
__kernel void ids_space(__global ulong *out, int width, int height)
{
    ulong v = get_work_dim();
    for (uint d = 0; d < 3; d++) {
        v = v * 1000003 + get_global_size(d);
        v = v * 1000003 + get_local_size(d);
        v = v * 1000003 + get_local_id(d);
        v = v * 1000003 + get_num_groups(d);
        v = v * 1000003 + get_group_id(d);
        v = v * 1000003 + get_global_offset(d);
    }
    out[(get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0)] = v;
}
