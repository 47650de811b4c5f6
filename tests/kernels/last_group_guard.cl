/* SPDX-License-Identifier: MIT */
/* The last group stops early: the size is not a multiple. */
// expect: split
// kernel: last_group_guard
// arg: buffer int X
// arg: buffer int X
// arg: int X-7
// part: 14..16 writes 1 3584..4068 exact
__kernel void last_group_guard(__global const int *in, __global int *out, int n)
{
    if ((int)get_global_id(0) < n)
        out[get_global_id(0)] = in[get_global_id(0)] / 3;
}
