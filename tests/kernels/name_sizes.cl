/* SPDX-License-Identifier: MIT */
/* Every work-item function that a sub-range would falsify. */
// expect: split
// kernel: name_sizes
// dims: 2
// arg: buffer ulong X*Y
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 8192..12288 exact
__kernel void name_sizes(__global ulong *out, int width)
{
    ulong v = get_work_dim();
    for (uint d = 0; d < 2; d++)
        v = v * 1009 + get_global_size(d) * 31 + get_local_size(d) * 7 + get_global_offset(d) + get_num_groups(d);
    out[get_global_id(1) * width + get_global_id(0)] = v;
}
