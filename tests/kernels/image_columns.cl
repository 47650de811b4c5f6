/* SPDX-License-Identifier: MIT */
/* Each work-item writes a column. */
// expect: split
// kernel: image_columns
// arg: image2d uint X 7
// part: 8..10 writes 0 2048..27136 boxed
// way: 0 own
__kernel void image_columns(__write_only image2d_t out)
{
    for (int y = 0; y < get_image_height(out); y++)
        write_imageui(out, (int2)(get_global_id(0), y), (uint4)(get_global_id(0) * 31 + y));
}
