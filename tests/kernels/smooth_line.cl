/* SPDX-License-Identifier: MIT */
/* A stencil with clamped neighbours: packages read beyond their own elements. */
// expect: split
// kernel: smooth_line
// arg: buffer float X
// arg: buffer float X
// arg: int X
// part: 8..10 reads 0 2044..2564
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void smooth_line(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    int left = max(i - 1, 0), right = min(i + 1, n - 1);
    out[i] = 0.25f * in[left] + 0.5f * in[i] + 0.25f * in[right];
}
