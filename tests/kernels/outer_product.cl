/* SPDX-License-Identifier: MIT */
/* An outer product added to a matrix. */
// expect: split
// kernel: outer_product
// dims: 2
// arg: buffer float X
// arg: buffer float Y
// arg: buffer float X*Y
// arg: int X
__kernel void outer_product(__global const float *u, __global const float *v, __global float *a, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    a[y * width + x] += u[x] * v[y];
}
