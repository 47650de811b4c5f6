/* SPDX-License-Identifier: MIT */
/* A stride that is an argument, larger than what is written. */
// expect: split
// kernel: stride_by_argument
// arg: buffer int X*9
// arg: int 9
// part: 8..10 writes 0 18432..23008
// way: 0 own
__kernel void stride_by_argument(__global int *out, int stride)
{
    out[get_global_id(0) * stride] = stride;
}
