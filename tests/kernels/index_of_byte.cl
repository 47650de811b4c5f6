/* SPDX-License-Identifier: MIT */
/* A place that is cut to eight bits and comes round again. */
// expect: split
// kernel: index_of_byte
// arg: buffer int 256 zero
// arg: buffer int X
// cut: 0 by 4
// way: 0 own
__kernel void index_of_byte(__global int *o, __global const int *in)
{
    size_t i = get_global_id(0);
    uchar c = (uchar)(i * 3);
    if (i < 256)
        o[c] = (int)i * 7 + in[i];
}
