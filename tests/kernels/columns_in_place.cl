/* SPDX-License-Identifier: MIT */
/* The same, in place: what a package reads lies in its own columns. */
// expect: split
// cut: 1 by 1
// part: 7..9 writes 0 112..3744 boxed
// part: 7..9 reads 0 112..3744 boxed
// way: 0 own
// before: no 0
// kernel: columns_in_place
// dims: 2
// size: 16,60
// local: 16,4
// arg: buffer float X*Y
// arg: int Y
__kernel void columns_in_place(__global float *a, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    a[x * height + y] = a[x * height + y] * 0.5f + 1;
}
