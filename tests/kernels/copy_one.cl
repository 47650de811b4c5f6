/* SPDX-License-Identifier: MIT */
/* The plainest kernel: one element in, one out. */
// expect: split
// kernel: copy_one
// arg: buffer int X
// arg: buffer int X
__kernel void copy_one(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
}
