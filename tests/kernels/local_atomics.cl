/* SPDX-License-Identifier: MIT */
/* Atomics in local memory alone: a histogram for each group. */
// expect: split
// kernel: local_atomics
// arg: buffer int X below 16
// arg: buffer uint G*16
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 512..640 exact
__kernel void local_atomics(__global const int *in, __global uint *bins)
{
    __local uint own[16];
    uint l = get_local_id(0);
    for (uint i = l; i < 16; i += get_local_size(0))
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[in[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        for (uint i = 0; i < 16; i++)
            bins[get_group_id(0) * 16 + i] = own[i];
}
