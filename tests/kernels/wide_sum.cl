/* SPDX-License-Identifier: MIT */
/* A 64-bit sum, where the device has 64-bit atomics. */
// expect: split
// kernel: wide_sum
// arg: buffer int X
// arg: buffer ulong 4 zero
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..32
// part: 8..10 reads 1 0..32
// way: 2 own
// part: 8..10 writes 2 2048..2560 exact
// way: 1 private add 8
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void wide_sum(__global const int *in, __global ulong *sums, __global int *out)
{
    size_t i = get_global_id(0);
#ifdef cl_khr_int64_base_atomics
    atom_add(&sums[in[i] & 3], (ulong)(uint)in[i] << 20);
#endif
    out[i] = in[i];
}
