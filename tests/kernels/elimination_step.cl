/* SPDX-License-Identifier: MIT */
/* A step of Gauss's elimination: rows below the pivot, one item an element. */
// expect: split
// kernel: elimination_step
// dims: 2
// arg: buffer float X*Y
// arg: buffer float Y
// arg: int X
// arg: int 3
// offset: no
// size: 64,64
// local: 8,4
// cut: 1 by 1
// way: 0 own
// part: 8..10 writes 0 8204..10240
// part: 8..10 reads 0 780..10240 boxed
// part: 8..10 reads 1 128..160
// before: no 0
__kernel void elimination_step(__global float *a, __global const float *factor, int width, int pivot)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (y > pivot && x >= pivot)
        a[y * width + x] -= factor[y] * a[pivot * width + x];
}
