/* SPDX-License-Identifier: MIT */
/* A 64-bit sum, where the device has 64-bit atomics. */
// expect: split
// kernel: wide_sum
// arg: buffer int X
// arg: buffer ulong 4 zero
// arg: buffer int X
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
