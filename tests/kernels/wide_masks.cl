/* SPDX-License-Identifier: MIT */
/* 64-bit bits joined. */
// expect: split
// kernel: wide_masks
// arg: buffer ulong X
// arg: buffer ulong 2 zero
// part: 8..10 reads 0 4096..5120
// part: 8..10 writes 1 0..16
// part: 8..10 reads 1 0..16
// way: 1 private or 8
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void wide_masks(__global const ulong *in, __global ulong *mask)
{
    ulong v = in[get_global_id(0)];
#ifdef cl_khr_int64_extended_atomics
    atom_or(&mask[v & 1], v & 0x0102040810204080ul);
#endif
}
