/* SPDX-License-Identifier: MIT */
/* A sum over a grid-stride loop, one value an item. */
// expect: split
// kernel: grid_sum
// arg: buffer float 3000
// arg: buffer float X
// arg: int 3000
// offset: no
// reads: 0 known
__kernel void grid_sum(__global const float *in, __global float *out, int n)
{
    float sum = 0.0f;
    for (int i = get_global_id(0); i < n; i += (int)get_global_size(0))
        sum += in[i];
    out[get_global_id(0)] = sum;
}
