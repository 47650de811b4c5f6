/* SPDX-License-Identifier: MIT */
/* The largest of all, unsigned. */
// expect: split
// kernel: highest_uint
// arg: buffer uint X
// arg: buffer uint 16
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..64
// part: 8..10 reads 1 0..64
// way: 1 private umax 4
__kernel void highest_uint(__global const uint *in, __global uint *highest)
{
    uint v = in[get_global_id(0)];
    atomic_max(&highest[v >> 28], v);
}
