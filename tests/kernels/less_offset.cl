/* SPDX-License-Identifier: MIT */
/* Output counted from the launch's offset. */
// expect: split
// kernel: less_offset
// arg: buffer int W
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
// part: 8..10 reads 1 2048..2560
__kernel void less_offset(__global int *out, __global const int *in)
{
    out[get_global_id(0) - get_global_offset(0)] = in[get_global_id(0)];
}
