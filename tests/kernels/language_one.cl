/* SPDX-License-Identifier: MIT */
/* The language of OpenCL 1.1. */
// expect: split
// kernel: language_one
// options: -cl-std=CL1.1
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void language_one(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + (int)get_group_id(0);
}
