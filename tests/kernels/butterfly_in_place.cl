/* SPDX-License-Identifier: MIT */
/* A butterfly of a transform, in place. */
// expect: split
// kernel: butterfly_in_place
// arg: buffer float X*2
// arg: int X
// way: 0 own
// part: 8..10 writes 0 2048..6656 boxed
// part: 8..10 reads 0 2048..6656 boxed
__kernel void butterfly_in_place(__global float *data, int half_size)
{
    int i = get_global_id(0);
    float a = data[i], b = data[i + half_size];
    data[i] = a + b;
    data[i + half_size] = a - b;
}
