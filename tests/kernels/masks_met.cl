/* SPDX-License-Identifier: MIT */
/* Bits that all items have. */
// expect: split
// kernel: masks_met
// arg: buffer uint X
// arg: buffer uint 8
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..32
// part: 8..10 reads 1 0..32
// way: 1 private and 4
__kernel void masks_met(__global const uint *in, __global uint *mask)
{
    size_t i = get_global_id(0);
    atomic_and(&mask[in[i] & 7], in[i] | 0xff0f0f0fu);
}
