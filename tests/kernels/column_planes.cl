/* SPDX-License-Identifier: MIT */
/* Planes taken apart: one buffer of pixels to three planes in one. */
// arg: buffer uchar X*3
// kernel: column_planes
// arg: buffer uchar X*3
// arg: int X
// expect: split
// part: 8..10 reads 0 1536..1920
// way: 1 own
// part: 8..10 writes 1 512..2688 boxed
__kernel void column_planes(__global const uchar *in, __global uchar *out, int n)
{
    int i = get_global_id(0);
    for (int c = 0; c < 3; c++)
        out[c * n + i] = in[3 * i + c];
}
