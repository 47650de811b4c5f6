/* SPDX-License-Identifier: MIT */
/* A convolution with weights in a constant buffer. */
// expect: split
// kernel: constant_weights
// arg: buffer float X+8
// arg: buffer float 9
// arg: buffer float X
// reads: 0 known
// reads: 1 known
__kernel void constant_weights(__global const float *in, __constant float *weight, __global float *out)
{
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 9; k++)
        sum += weight[k] * in[i + k];
    out[i] = sum;
}
