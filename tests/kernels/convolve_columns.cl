/* SPDX-License-Identifier: MIT */
/* A separable convolution, along columns. */
// expect: split
// kernel: convolve_columns
// dims: 2
// arg: buffer float X*Y
// arg: buffer float X*Y
// arg: buffer float 7
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 2560..7680
// way: 1 own
// part: 4..6 writes 1 4096..6144 exact
// part: 4..6 reads 2 0..28
__kernel void convolve_columns(__global const float *in, __global float *out, __constant float *weight, int width,
                               int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = -3; k <= 3; k++)
        sum += weight[k + 3] * in[min(max(y + k, 0), height - 1) * width + x];
    out[y * width + x] = sum;
}
