/* SPDX-License-Identifier: MIT */
/* A product of two thin matrices: one input by rows, one wholly. */
// expect: split
// kernel: small_matmul
// dims: 2
// arg: buffer float X*24
// arg: buffer float Y*24
// arg: buffer float X*Y
// arg: int X
__kernel void small_matmul(__global const float *a, __global const float *b, __global float *c, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int i = 0; i < 24; i++)
        sum = mad(b[y * 24 + i], a[x * 24 + i], sum);
    c[y * width + x] = sum;
}
