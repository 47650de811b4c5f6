/* SPDX-License-Identifier: MIT */
/* A quarter turn of an image. */
// expect: split
// kernel: image_rotated
// dims: 2
// arg: buffer uint X*Y
// arg: buffer uint X*Y
// arg: int X
// arg: int Y
__kernel void image_rotated(__global const uint *in, __global uint *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * height + height - 1 - y] = in[y * width + x];
}
