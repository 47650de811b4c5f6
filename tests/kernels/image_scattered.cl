/* SPDX-License-Identifier: MIT */
/* Texels are written at places read from memory. */
// expect: whole (places are not known)
// kernel: image_scattered
// arg: buffer int X order
// arg: image2d uint X 1
// reason: write-unknown
__kernel void image_scattered(__global const int *place, __write_only image2d_t out)
{
    write_imageui(out, (int2)(place[get_global_id(0)], 0), (uint4)(get_global_id(0))); // here
}
