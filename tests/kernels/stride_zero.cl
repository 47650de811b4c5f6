/* SPDX-License-Identifier: MIT */
/* A stride that happens to be zero: all write one element, the same value. */
// expect: split
// kernel: stride_zero
// arg: buffer int 9
// arg: int 0
// part: 8..10 writes 0 16..20 exact
// way: 0 merge 4
__kernel void stride_zero(__global int *out, int stride)
{
    out[get_global_id(0) * stride + 4] = 77;
}
