/* SPDX-License-Identifier: MIT */
/* Reads mirrored at the border by abs. */
// expect: split
// kernel: mirrored_read
// arg: buffer float X+4
// arg: buffer float X
// reads: 0 known
__kernel void mirrored_read(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[abs(i - 4)] + in[i + 3];
}
