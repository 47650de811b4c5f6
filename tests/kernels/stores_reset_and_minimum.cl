/* SPDX-License-Identifier: MIT */
/* Each item resets its own place, then a group's first item stores the group's minimum at a place that an item
 * of the first groups has reset. */
// expect: whole (stores that race)
// kernel: stores_reset_and_minimum
// arg: buffer int X
// arg: buffer int X
// arg: local int L
// offset: no
// local: 16
// compare: no 1
// reason: stores-race
__kernel void stores_reset_and_minimum(__global const int *in, __global int *out, __local int *least)
{
    int i = get_global_id(0), l = get_local_id(0);
    out[i] = 0x7fffffff; // here
    least[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int j = 1; j < get_local_size(0); j++)
            least[0] = min(least[0], least[j]);
        out[get_group_id(0)] = least[0]; // there
    }
}
