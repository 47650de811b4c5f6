/* SPDX-License-Identifier: MIT */
/* One work-group across: cut along the second dimension, in columns of each row. */
// expect: split
// cut: 1 by 1
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 128..4000 boxed
// way: 1 own
// before: no 1
// kernel: columns_of_rows
// dims: 2
// size: 16,64
// local: 16,4
// arg: buffer int X*Y
// arg: buffer int X*Y
// arg: int Y
__kernel void columns_of_rows(__global const int *in, __global int *out, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * height + y] = in[y * get_global_size(0) + x] * 3;
}
