/* SPDX-License-Identifier: MIT */
/* A histogram in local memory, added to the global one. */
// expect: split
// kernel: counted_local
// arg: buffer int X below 16
// arg: buffer uint 16
// arg: local uint 16
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..64
// part: 8..10 reads 1 0..64
// way: 1 private add 4
__kernel void counted_local(__global const int *in, __global uint *bins, __local uint *own)
{
    for (uint i = get_local_id(0); i < 16; i += get_local_size(0))
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[in[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 16; i += get_local_size(0))
        atomic_add(&bins[i], own[i]);
}
