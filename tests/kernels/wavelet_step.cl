/* SPDX-License-Identifier: MIT */
/* A Haar step: sums to the lower half, differences to the upper. */
// expect: split
// kernel: wavelet_step
// arg: buffer float X*2
// arg: buffer float X*2
// arg: int X
__kernel void wavelet_step(__global const float *in, __global float *out, int half_size)
{
    int i = get_global_id(0);
    out[i] = (in[2 * i] + in[2 * i + 1]) * 0.5f;
    out[half_size + i] = (in[2 * i] - in[2 * i + 1]) * 0.5f;
}
