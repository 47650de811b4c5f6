/* SPDX-License-Identifier: MIT */
/* Every work-item function in one dimension. */
// expect: split
// kernel: ids_line
// arg: buffer ulong X*8
// uneven: yes
// way: 0 own
// part: 8..10 writes 0 32768..40960 exact
__kernel void ids_line(__global ulong *out)
{
    size_t i = get_global_id(0);
    __global ulong *to = out + i * 8;
    to[0] = get_work_dim();
    to[1] = get_global_size(0);
    to[2] = get_global_id(0);
    to[3] = get_local_size(0);
    to[4] = get_local_id(0);
    to[5] = get_num_groups(0);
    to[6] = get_group_id(0);
    to[7] = get_global_offset(0);
}
