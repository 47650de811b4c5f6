/* SPDX-License-Identifier: MIT */
/* A tree within the group, then one addition a group. */
// expect: split
// kernel: sum_of_all
// local: 32
// arg: buffer int X
// arg: buffer int 1
// part: 8..10 reads 0 1024..1280
// part: 8..10 writes 1 0..4
// part: 8..10 reads 1 0..4
// way: 1 private add 4
__kernel void sum_of_all(__global const int *in, __global int *sum)
{
    __local int room[32];
    uint l = get_local_id(0);
    room[l] = in[get_global_id(0)];
    for (uint n = 16; n > 0; n >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            room[l] += room[l + n];
    }
    if (l == 0)
        atomic_add(sum, room[0]);
}
