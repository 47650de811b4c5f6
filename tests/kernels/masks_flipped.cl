/* SPDX-License-Identifier: MIT */
/* A parity over all items. */
// expect: split
// kernel: masks_flipped
// arg: buffer uint X
// arg: buffer uint 8
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..32
// part: 8..10 reads 1 0..32
// way: 1 private xor 4
__kernel void masks_flipped(__global const uint *in, __global uint *mask)
{
    size_t i = get_global_id(0);
    atomic_xor(&mask[in[i] >> 29], in[i]);
}
