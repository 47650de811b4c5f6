/* SPDX-License-Identifier: MIT */
/* Places of another group, kept in local memory. */
// expect: split
// kernel: local_places_far
// local: 16
// offset: no
// arg: buffer int X
// way: 0 merge 4
// writes: 0 unknown
__kernel void local_places_far(__global int *o)
{
    __local int p[16];
    int l = get_local_id(0), g = get_group_id(0), n = get_num_groups(0);
    p[15 - l] = (n - 1 - g) * 16 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[p[l]] = l + g;
}
