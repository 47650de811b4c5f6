/* SPDX-License-Identifier: MIT */
/* 3-D, two bytes an element. */
// expect: split
// kernel: copy_space
// dims: 3
// arg: buffer short X*Y*Z
// arg: buffer short X*Y*Z
// arg: int X
// arg: int Y
// cut: 2 by 1
// part: 2..4 reads 0 1024..2048
// way: 1 own
// part: 2..4 writes 1 1024..2048 exact
__kernel void copy_space(__global const short *in, __global short *out, int width, int height)
{
    size_t i = (get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0);
    out[i] = in[i] * 2 - 1;
}
