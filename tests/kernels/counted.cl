/* SPDX-License-Identifier: MIT */
/* A histogram in global memory. */
// expect: split
// kernel: counted
// arg: buffer int X below 32
// arg: buffer uint 32
// way: 1 private add 4
__kernel void counted(__global const int *in, __global uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)]]);
}
