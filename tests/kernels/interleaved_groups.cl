/* SPDX-License-Identifier: MIT */
/* Groups take turns: element i belongs to group i modulo their number. */
// expect: any
// kernel: interleaved_groups
// arg: buffer int I
// offset: no
// way: 0 own
// part: 8..10 writes 0 32..4072 boxed
__kernel void interleaved_groups(__global int *out)
{
    size_t at = get_local_id(0) * get_num_groups(0) + get_group_id(0);
    out[at] = (int)(at * 5);
}
