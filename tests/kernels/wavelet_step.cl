/* SPDX-License-Identifier: MIT */
/* A Haar step: sums to the lower half, differences to the upper. */
// expect: split
// kernel: wavelet_step
// arg: buffer float X*2
// arg: buffer float X*2
// arg: int X
// part: 8..10 reads 0 4096..5120
// way: 1 own
// part: 8..10 writes 1 2048..6656 boxed
__kernel void wavelet_step(__global const float *in, __global float *out, int half_size)
{
    int i = get_global_id(0);
    out[i] = (in[2 * i] + in[2 * i + 1]) * 0.5f;
    out[half_size + i] = (in[2 * i] - in[2 * i + 1]) * 0.5f;
}
