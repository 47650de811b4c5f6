/* SPDX-License-Identifier: MIT */
/* A NULL buffer. */
// expect: split
// kernel: null_input
// arg: null
// arg: buffer int X
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void null_input(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in ? in[i] : (int)i * 2;
}
