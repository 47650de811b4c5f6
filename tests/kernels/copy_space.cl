/* SPDX-License-Identifier: MIT */
/* 3-D, two bytes an element. */
// expect: split
// kernel: copy_space
// dims: 3
// arg: buffer short X*Y*Z
// arg: buffer short X*Y*Z
// arg: int X
// arg: int Y
__kernel void copy_space(__global const short *in, __global short *out, int width, int height)
{
    size_t i = (get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0);
    out[i] = in[i] * 2 - 1;
}
