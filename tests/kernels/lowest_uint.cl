/* SPDX-License-Identifier: MIT */
/* The smallest of all, unsigned. */
// expect: split
// kernel: lowest_uint
// arg: buffer uint X
// arg: buffer uint 16
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..64
// part: 8..10 reads 1 0..64
// way: 1 private umin 4
__kernel void lowest_uint(__global const uint *in, __global uint *lowest)
{
    uint v = in[get_global_id(0)];
    atomic_min(&lowest[v & 15], v);
}
