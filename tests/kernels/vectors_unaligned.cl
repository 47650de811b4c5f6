/* SPDX-License-Identifier: MIT */
/* vload and vstore of eight from odd places. */
// expect: split
// kernel: vectors_unaligned
// arg: buffer int X*8+1
// arg: buffer int X*8+3
// part: 1..2 writes 1 2060..4108 exact
__kernel void vectors_unaligned(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    vstore8(vload8(i, in + 1) + 1, i, out + 3);
}
