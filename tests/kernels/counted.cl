/* SPDX-License-Identifier: MIT */
/* A histogram in global memory. */
// expect: split
// kernel: counted
// arg: buffer int X below 32
// arg: buffer uint 32
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// way: 1 private add 4
__kernel void counted(__global const int *in, __global uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)]]);
}
