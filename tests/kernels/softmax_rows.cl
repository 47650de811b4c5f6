/* SPDX-License-Identifier: MIT */
/* A softmax of each row. */
// expect: split
// kernel: softmax_rows
// arg: buffer float X*9
// arg: buffer float X*9
// part: 8..10 reads 0 18432..23040
// way: 1 own
// part: 8..10 writes 1 18432..23040 exact
__kernel void softmax_rows(__global const float *in, __global float *out)
{
    int row = get_global_id(0);
    float top = -1e30f, sum = 0.0f;
    for (int k = 0; k < 9; k++)
        top = fmax(top, in[row * 9 + k]);
    for (int k = 0; k < 9; k++)
        sum += exp(in[row * 9 + k] - top);
    for (int k = 0; k < 9; k++)
        out[row * 9 + k] = exp(in[row * 9 + k] - top) / sum;
}
