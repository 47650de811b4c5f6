/* SPDX-License-Identifier: MIT */
/* Every other texel stays as it was. */
// expect: split
// kernel: image_every_other
// dims: 2
// arg: image2d uint X*2 Y*2
// cut: 1 by 1
// part: 4..6 writes 0 16388..24064
// way: 0 own
__kernel void image_every_other(__write_only image2d_t out)
{
    write_imageui(out, (int2)(2 * get_global_id(0) + 1, 2 * get_global_id(1)), (uint4)(get_global_id(1)));
}
