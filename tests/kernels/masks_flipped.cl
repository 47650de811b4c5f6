/* SPDX-License-Identifier: MIT */
/* A parity over all items. */
// expect: split
// kernel: masks_flipped
// arg: buffer uint X
// arg: buffer uint 8
// way: 1 private xor 4
__kernel void masks_flipped(__global const uint *in, __global uint *mask)
{
    size_t i = get_global_id(0);
    atomic_xor(&mask[in[i] >> 29], in[i]);
}
