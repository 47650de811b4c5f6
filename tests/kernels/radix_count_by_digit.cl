/* SPDX-License-Identifier: MIT */
/* The same, by digit first: the counts of all groups lie interleaved. */
// local: 32
// kernel: radix_count_by_digit
// llvm: 16
// arg: buffer uint X
// arg: buffer uint G*16
// offset: no
// expect: any
// part: 8..10 reads 0 1024..1280
// way: 1 own
// part: 8..10 writes 1 32..1000 boxed
__kernel void radix_count_by_digit(__global const uint *in, __global uint *counts)
{
    __local uint own[16];
    uint l = get_local_id(0);
    if (l < 16)
        own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[in[get_global_id(0)] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        counts[l * get_num_groups(0) + get_group_id(0)] = own[l];
}
