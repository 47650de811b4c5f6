/* SPDX-License-Identifier: MIT */
/* The smallest of all, signed. */
// expect: split
// kernel: lowest_int
// arg: buffer int X
// arg: buffer int 3
// way: 1 private min 4
__kernel void lowest_int(__global const int *in, __global int *lowest)
{
    atomic_min(&lowest[1], in[get_global_id(0)]);
}
