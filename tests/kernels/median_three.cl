/* SPDX-License-Identifier: MIT */
/* The median of three neighbours. */
// expect: split
// kernel: median_three
// arg: buffer float X+2
// arg: buffer float X
// part: 1..2 reads 0 256..520
__kernel void median_three(__global const float *in, __global float *out)
{
    size_t i = get_global_id(0);
    float a = in[i], b = in[i + 1], c = in[i + 2];
    out[i] = max(min(a, b), min(max(a, b), c));
}
