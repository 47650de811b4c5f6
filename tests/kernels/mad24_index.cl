/* SPDX-License-Identifier: MIT */
/* An index by mad24. */
// expect: split
// kernel: mad24_index
// dims: 2
// arg: buffer int X*Y
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 4096..6144 exact
__kernel void mad24_index(__global int *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[mad24(y, width, x)] = mul24(x, y);
}
