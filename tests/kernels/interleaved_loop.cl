/* SPDX-License-Identifier: MIT */
/* A loop in strides of the range, four rounds of vectors. */
// expect: any
// kernel: interleaved_loop
// arg: buffer int4 X*4
// arg: int X*4
// offset: no
// writes: 0 known
__kernel void interleaved_loop(__global int4 *out, int n)
{
    for (int i = get_global_id(0); i < n; i += (int)get_global_size(0))
        out[i] = (int4)(i, i + 1, i + 2, i + 3);
}
