/* SPDX-License-Identifier: MIT */
/* A NULL buffer. */
// expect: split
// kernel: null_input
// arg: null
// arg: buffer int X
__kernel void null_input(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in ? in[i] : (int)i * 2;
}
