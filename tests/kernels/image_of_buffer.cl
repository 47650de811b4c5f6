/* SPDX-License-Identifier: MIT */
/* An image made of a buffer. */
// expect: split
// kernel: image_of_buffer
// arg: image1d_buffer uint4 X
// arg: image1d_buffer uint4 X
// part: 8..10 reads 0 8192..10240
// part: 8..10 writes 1 8192..10240 exact
// way: 1 own
__kernel void image_of_buffer(__read_only image1d_buffer_t in, __write_only image1d_buffer_t out)
{
    int i = get_global_id(0);
    write_imageui(out, i, read_imageui(in, i) + (uint4)(1, 2, 3, 4));
}
