/* SPDX-License-Identifier: MIT */
/* A transposed matrix by a vector: columns are read. */
// expect: split
// kernel: product_transposed
// arg: buffer float X*15
// arg: buffer float 15
// arg: buffer float X
// arg: int X
// reads: 0 known
__kernel void product_transposed(__global const float *a, __global const float *v, __global float *out, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 15; k++)
        sum += a[k * n + i] * v[k];
    out[i] = sum;
}
