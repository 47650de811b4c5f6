/* SPDX-License-Identifier: MIT */
/* An outer product added to a matrix. */
// expect: split
// kernel: outer_product
// dims: 2
// arg: buffer float X
// arg: buffer float Y
// arg: buffer float X*Y
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 0..256
// part: 4..6 reads 1 64..96
// way: 2 own
// part: 4..6 writes 2 4096..6144 exact
// part: 4..6 reads 2 4096..6144
__kernel void outer_product(__global const float *u, __global const float *v, __global float *a, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    a[y * width + x] += u[x] * v[y];
}
