/* SPDX-License-Identifier: MIT */
/* A memory fence alone. */
// expect: split
// kernel: fenced_memory
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void fenced_memory(__global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[i] = 2;
}
