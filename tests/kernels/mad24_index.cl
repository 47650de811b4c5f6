/* SPDX-License-Identifier: MIT */
/* An index by mad24. */
// expect: split
// kernel: mad24_index
// dims: 2
// arg: buffer int X*Y
// arg: int X
__kernel void mad24_index(__global int *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[mad24(y, width, x)] = mul24(x, y);
}
