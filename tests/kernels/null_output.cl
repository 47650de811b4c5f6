/* SPDX-License-Identifier: MIT */
/* A NULL buffer that is not written because of it. */
// expect: split
// kernel: null_output
// arg: buffer int X
// arg: null
// arg: buffer int X
// way: 2 own
// writes: 1 nothing
__kernel void null_output(__global const int *in, __global int *extra, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + 1;
    if (extra)
        extra[i] = in[i];
}
