/* SPDX-License-Identifier: MIT */
/* The left part of each row: what lies between the rows of a package stays where it is. */
// expect: split
// cut: 1 by 1
// part: 6..8 reads 0 24576..32000 boxed
// part: 6..8 writes 1 24576..32000 boxed
// way: 1 own
// before: no 1
// kernel: part_of_rows
// dims: 2
// size: 64,48
// local: 16,4
// arg: buffer int 256*Y
// arg: buffer int 256*Y
// arg: int 256
__kernel void part_of_rows(__global const int *in, __global int *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[y * width + x] * 2 + y;
}
