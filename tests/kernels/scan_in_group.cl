/* SPDX-License-Identifier: MIT */
/* An inclusive scan within each group, and the group's sum. */
// expect: split
// kernel: scan_in_group
// local: 16
// arg: buffer int X
// arg: buffer int X
// arg: buffer int G
// part: 8..10 reads 0 512..640
// part: 8..10 writes 1 512..640 exact
// part: 8..10 writes 2 32..40 exact
// way: 1 own
// way: 2 own
__kernel void scan_in_group(__global const int *in, __global int *out, __global int *sums)
{
    __local int room[16];
    int l = get_local_id(0);
    room[l] = in[get_global_id(0)];
    for (int step = 1; step < 16; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l >= step ? room[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        room[l] += v;
    }
    out[get_global_id(0)] = room[l];
    if (l == 15)
        sums[get_group_id(0)] = room[l];
}
