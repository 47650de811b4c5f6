/* SPDX-License-Identifier: MIT */
/* Column-major 2-D: the first dimension is the one to split. */
// expect: split
// kernel: fill_columns
// dims: 2
// arg: buffer uint X*Y
// arg: int Y
// cut: 0 by 1
// way: 0 own
// part: 4..6 writes 0 4096..6144 exact
__kernel void fill_columns(__global uint *out, int height)
{
    uint x = get_global_id(0), y = get_global_id(1);
    out[x * height + y] = x * 7 + y * 13;
}
