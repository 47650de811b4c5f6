/* SPDX-License-Identifier: MIT */
/* An image of one dimension. */
// expect: split
// kernel: image_line
// arg: image1d int X
// arg: image1d int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 2048..2560 exact
// way: 1 own
__kernel void image_line(__read_only image1d_t in, __write_only image1d_t out)
{
    int i = get_global_id(0);
    write_imagei(out, i, read_imagei(in, i) * 3);
}
