/* SPDX-License-Identifier: MIT */
/* Group number and number of groups must be those of the whole launch. */
// expect: split
// kernel: name_groups
// arg: buffer uint X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void name_groups(__global uint *out)
{
    out[get_global_id(0)] = get_group_id(0) * 1000 + get_local_id(0) + get_num_groups(0) * 1000000;
}
