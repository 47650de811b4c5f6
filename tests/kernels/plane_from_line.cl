/* SPDX-License-Identifier: MIT */
/* A plane computed from a line of items by division and remainder. */
// arg: buffer int X
// kernel: plane_from_line
// arg: int 20
// expect: split
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void plane_from_line(__global int *out, int width)
{
    int i = get_global_id(0), x = i % width, y = i / width;
    out[y * width + x] = x * 100 + y;
}
