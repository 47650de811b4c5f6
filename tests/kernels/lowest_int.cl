/* SPDX-License-Identifier: MIT */
/* The smallest of all, signed. */
// expect: split
// kernel: lowest_int
// arg: buffer int X
// arg: buffer int 3
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 4..8
// part: 8..10 reads 1 4..8
// way: 1 private min 4
__kernel void lowest_int(__global const int *in, __global int *lowest)
{
    atomic_min(&lowest[1], in[get_global_id(0)]);
}
