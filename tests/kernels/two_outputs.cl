/* SPDX-License-Identifier: MIT */
/* Two outputs of unlike element sizes: borders fall at different bytes. */
// expect: split
// kernel: two_outputs
// arg: buffer int X
// arg: buffer uchar X
// arg: buffer double X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 512..640 exact
// way: 2 own
// part: 8..10 writes 2 4096..5120 exact
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void two_outputs(__global const int *in, __global uchar *low, __global double *scaled)
{
    size_t i = get_global_id(0);
    low[i] = in[i] & 255;
    scaled[i] = in[i] * 0.001;
}
