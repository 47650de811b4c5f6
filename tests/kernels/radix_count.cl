/* SPDX-License-Identifier: MIT */
/* Counts of digits by group, in local memory. */
// expect: split
// kernel: radix_count
// local: 32
// arg: buffer uint X
// arg: buffer uint G*16
// offset: no
// writes: 1 known
__kernel void radix_count(__global const uint *in, __global uint *counts)
{
    __local uint own[16];
    uint l = get_local_id(0);
    if (l < 16)
        own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[(in[get_global_id(0)] >> 4) & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        counts[get_group_id(0) * 16 + l] = own[l];
}
