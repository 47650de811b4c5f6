/* SPDX-License-Identifier: MIT */
/* A guard against the rounded-up range, early return, read and write of one buffer. */
// expect: split
// kernel: guarded
// arg: buffer float X
// arg: buffer float X
// arg: int X-3
// arg: float 1.5
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
// part: 8..10 reads 1 2048..2560
__kernel void guarded(__global const float *x, __global float *y, int n, float a)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    y[i] = a * x[i] + y[i];
}
