/* SPDX-License-Identifier: MIT */
/* A butterfly of a transform, in place. */
// expect: split
// kernel: butterfly_in_place
// arg: buffer float X*2
// arg: int X
__kernel void butterfly_in_place(__global float *data, int half_size)
{
    int i = get_global_id(0);
    float a = data[i], b = data[i + half_size];
    data[i] = a + b;
    data[i + half_size] = a - b;
}
