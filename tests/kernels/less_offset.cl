/* SPDX-License-Identifier: MIT */
/* Output counted from the launch's offset. */
// expect: split
// kernel: less_offset
// arg: buffer int W
// arg: buffer int X
__kernel void less_offset(__global int *out, __global const int *in)
{
    out[get_global_id(0) - get_global_offset(0)] = in[get_global_id(0)];
}
