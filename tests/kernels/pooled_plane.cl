/* SPDX-License-Identifier: MIT */
/* Maxima over two by two places. */
// expect: split
// kernel: pooled_plane
// dims: 2
// arg: buffer float X*2*Y*2
// arg: buffer float X*Y
// arg: int X
// cut: 1 by 1
// part: 4..6 reads 0 15872..25088
// way: 1 own
// part: 4..6 writes 1 4096..6144 exact
__kernel void pooled_plane(__global const float *in, __global float *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    __global const float *p = in + 2 * y * 2 * width + 2 * x;
    out[y * width + x] = fmax(fmax(p[0], p[1]), fmax(p[2 * width], p[2 * width + 1]));
}
