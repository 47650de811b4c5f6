/* SPDX-License-Identifier: MIT */
/* Dimensions that the launch does not have. */
// expect: split
// kernel: ids_beyond
// arg: buffer ulong X
// way: 0 own
// part: 8..10 writes 0 4096..5120 exact
__kernel void ids_beyond(__global ulong *out)
{
    ulong v = 0;
    for (uint d = 1; d < 5; d++)
        v = v * 31 + get_global_size(d) + 3 * get_local_size(d) + 5 * get_num_groups(d) + get_global_id(d) +
            get_local_id(d) + get_group_id(d) + get_global_offset(d);
    out[get_global_id(0)] = v;
}
