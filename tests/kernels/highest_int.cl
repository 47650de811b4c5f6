/* SPDX-License-Identifier: MIT */
/* The largest of all, signed; a hundred classes. */
// expect: split
// kernel: highest_int
// arg: buffer int X
// arg: buffer int 100
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..400
// part: 8..10 reads 1 0..400
// way: 1 private max 4
__kernel void highest_int(__global const int *in, __global int *highest)
{
    int v = in[get_global_id(0)];
    atomic_max(&highest[(uint)v % 100], v);
}
