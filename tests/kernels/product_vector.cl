/* SPDX-License-Identifier: MIT */
/* A matrix by a vector. */
// expect: split
// kernel: product_vector
// arg: buffer float X*20
// arg: buffer float 20
// arg: buffer float X
// reads: 0 known
__kernel void product_vector(__global const float *a, __global const float *v, __global float *out)
{
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (size_t k = 0; k < 20; k++)
        sum = fma(a[row * 20 + k], v[k], sum);
    out[row] = sum;
}
