/* SPDX-License-Identifier: MIT */
/* A quarter turn of an image. */
// expect: split
// kernel: image_rotated
// dims: 2
// arg: buffer uint X*Y
// arg: buffer uint X*Y
// arg: int X
// arg: int Y
// cut: 0 by 1
// part: 4..6 reads 0 128..8128 boxed
// way: 1 own
// part: 4..6 writes 1 4096..6144 exact
__kernel void image_rotated(__global const uint *in, __global uint *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * height + height - 1 - y] = in[y * width + x];
}
