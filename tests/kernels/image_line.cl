/* SPDX-License-Identifier: MIT */
/* An image of one dimension. */
// expect: split
// kernel: image_line
// arg: image1d int X
// arg: image1d int X
// way: 1 own
__kernel void image_line(__read_only image1d_t in, __write_only image1d_t out)
{
    int i = get_global_id(0);
    write_imagei(out, i, read_imagei(in, i) * 3);
}
