/* SPDX-License-Identifier: MIT */
/* One word a group, put together in local memory. */
// expect: split
// kernel: bits_packed_local
// local: 32
// arg: buffer int X
// arg: buffer uint G
// offset: no
// way: 1 own
// part: 4..8 writes 1 16..32 exact
__kernel void bits_packed_local(__global const int *in, __global uint *words)
{
    __local uint word;
    uint l = get_local_id(0);
    if (l == 0)
        word = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[get_global_id(0)] & 1)
        atomic_or(&word, 1u << l);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        words[get_group_id(0)] = word;
}
