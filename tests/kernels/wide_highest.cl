/* SPDX-License-Identifier: MIT */
/* An unsigned 64-bit maximum. */
// expect: split
// kernel: wide_highest
// arg: buffer ulong X
// arg: buffer ulong 1 zero
// part: 8..10 reads 0 4096..5120
// part: 8..10 writes 1 0..8
// part: 8..10 reads 1 0..8
// way: 1 private umax 8
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void wide_highest(__global const ulong *in, __global ulong *high)
{
    ulong v = in[get_global_id(0)];
#ifdef cl_khr_int64_extended_atomics
    atom_max(high, v);
#endif
}
