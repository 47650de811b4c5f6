/* SPDX-License-Identifier: MIT */
/* Places kept in local memory. */
// local: 16
// kernel: local_places
// arg: buffer int X
// expect: split
// way: 0 merge 4
// writes: 0 unknown
__kernel void local_places(__global int *out)
{
    __local int place[16];
    int l = get_local_id(0);
    place[l] = (int)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[place[15 - l]] = l;
}
