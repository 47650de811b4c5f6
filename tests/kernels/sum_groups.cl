/* SPDX-License-Identifier: MIT */
/* One result a group, at its group number. */
// expect: split
// kernel: sum_groups
// arg: buffer int X
// arg: buffer int G
// arg: local int L
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 32..40 exact
__kernel void sum_groups(__global const int *in, __global int *sums, __local int *room)
{
    uint l = get_local_id(0), n = get_local_size(0);
    room[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int sum = 0;
        for (uint i = 0; i < n; i++)
            sum += room[i];
        sums[get_group_id(0)] = sum;
    }
}
