/* SPDX-License-Identifier: MIT */
/* Sums that stop at the ends of the type. */
// expect: split
// kernel: index_saturated
// arg: buffer int 400 zero
// arg: buffer int 400 zero
// arg: buffer int X
// way: 0 merge 4
// part: 8..10 writes 0 0..1024
__kernel void index_saturated(__global int *o, __global int *p, __global const int *in)
{
    uchar c = add_sat((uchar)min((int)get_global_id(0), 255), (uchar)100);
    uchar d = sub_sat((uchar)min((int)get_global_id(0), 255), (uchar)100);
    o[c] = c;
    p[d] = d == c ? 0 : d;
}
