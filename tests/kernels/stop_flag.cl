/* SPDX-License-Identifier: MIT */
/* A flag that any item may raise. */
// expect: split
// kernel: stop_flag
// arg: buffer int X
// arg: buffer int X
// arg: buffer int 1 zero
// way: 1 own
// way: 2 merge 4
// reads: 2 nothing
__kernel void stop_flag(__global const int *in, __global int *out, __global int *stop)
{
    size_t i = get_global_id(0);
    out[i] = in[i] >> 1;
    if (in[i] > 1000000000)
        *stop = 1;
}
