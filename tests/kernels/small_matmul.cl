/* SPDX-License-Identifier: MIT */
/* A product of two thin matrices: one input by rows, one wholly. */
// expect: split
// kernel: small_matmul
// dims: 2
// arg: buffer float X*24
// arg: buffer float Y*24
// arg: buffer float X*Y
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 0..6144
// part: 4..6 reads 1 1536..2304
// way: 2 own
// part: 4..6 writes 2 4096..6144 exact
__kernel void small_matmul(__global const float *a, __global const float *b, __global float *c, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int i = 0; i < 24; i++)
        sum = mad(b[y * 24 + i], a[x * 24 + i], sum);
    c[y * width + x] = sum;
}
