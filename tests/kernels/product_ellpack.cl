/* SPDX-License-Identifier: MIT */
/* A sparse matrix in columns of equal length by a vector. */
// expect: split
// kernel: product_ellpack
// arg: buffer int X*6 below X
// arg: buffer float X*6
// arg: buffer float X
// arg: buffer float X
// arg: int X
// reads: 1 known
// reads: 2 unknown
__kernel void product_ellpack(__global const int *column, __global const float *value, __global const float *v,
                              __global float *out, int rows)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < 6; j++)
        sum += value[j * rows + row] * v[column[j * rows + row]];
    out[row] = sum;
}
