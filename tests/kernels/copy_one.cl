/* SPDX-License-Identifier: MIT */
/* The plainest kernel: one element in, one out. */
// expect: split
// kernel: copy_one
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void copy_one(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
}
