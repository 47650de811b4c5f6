/* SPDX-License-Identifier: MIT */
/* A separable convolution, along rows. */
// expect: split
// kernel: convolve_rows
// dims: 2
// arg: buffer float X*Y
// arg: buffer float X*Y
// arg: buffer float 7
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 4072..6168
// way: 1 own
// part: 4..6 writes 1 4096..6144 exact
// part: 4..6 reads 2 0..28
__kernel void convolve_rows(__global const float *in, __global float *out, __constant float *weight, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = -3; k <= 3; k++)
        sum += weight[k + 3] * in[y * width + clamp(x + k, 0, width - 1)];
    out[y * width + x] = sum;
}
