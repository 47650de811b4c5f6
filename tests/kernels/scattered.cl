/* SPDX-License-Identifier: MIT */
/* A permutation: where it writes is data. */
// expect: split
// kernel: scattered
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X
// way: 2 merge 4
__kernel void scattered(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i];
}
