/* SPDX-License-Identifier: MIT */
/* vloadn with a negative index. */
// expect: any
// kernel: vectors_below_end
// arg: buffer int X*4+64
// arg: buffer int X*4
// part: 8..10 reads 0 6144..8192
// way: 1 own
// part: 8..10 writes 1 6144..8192 exact
__kernel void vectors_below_end(__global const int *in, __global int *o)
{
    size_t i = get_global_id(0), n = get_global_size(0) + get_global_offset(0);
    __global const int *end = in + n * 4;
    int4 v = vload4(-(size_t)(i + 1), end);
    vstore4(v, n - 1 - i, o);
}
