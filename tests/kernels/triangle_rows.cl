/* SPDX-License-Identifier: MIT */
/* The lower triangle of a square: later rows write more. */
// expect: split
// kernel: triangle_rows
// arg: buffer float X*X
// arg: int X
// size: 128
// local: 8
// way: 0 own
// part: 8..10 writes 0 32768..40960
__kernel void triangle_rows(__global float *a, int n)
{
    int row = get_global_id(0);
    for (int x = 0; x <= row; x++)
        a[row * n + x] = (float)(row - x);
}
