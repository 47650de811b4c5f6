/* SPDX-License-Identifier: MIT */
/* A sparse matrix in compressed rows by a vector. */
// expect: split
// kernel: product_sparse
// arg: buffer int X+1 rising I*4
// arg: buffer int I*4+1 below X
// arg: buffer float I*4+1
// arg: buffer float X
// arg: buffer float X
// offset: no
// reads: 1 unknown
// reads: 3 unknown
// reads: 0 known
// way: 4 own
__kernel void product_sparse(__global const int *first, __global const int *column, __global const float *value,
                             __global const float *v, __global float *out)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int j = first[row]; j < first[row + 1]; j++)
        sum += value[j] * v[column[j]];
    out[row] = sum;
}
