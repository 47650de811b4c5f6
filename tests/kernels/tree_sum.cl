/* SPDX-License-Identifier: MIT */
/* A reduction tree with barriers in a loop and local memory of fixed size. */
// expect: split
// kernel: tree_sum
// local: 16
// arg: buffer float X
// arg: buffer float G
// part: 8..10 reads 0 512..640
// way: 1 own
// part: 8..10 writes 1 32..40 exact
__kernel void tree_sum(__global const float *in, __global float *sums)
{
    __local float room[16];
    uint l = get_local_id(0);
    room[l] = in[get_global_id(0)];
    for (uint half_size = 8; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_size)
            room[l] += room[l + half_size];
    }
    if (l == 0)
        sums[get_group_id(0)] = room[0];
}
