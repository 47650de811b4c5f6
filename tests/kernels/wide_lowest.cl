/* SPDX-License-Identifier: MIT */
/* A signed 64-bit minimum. */
// expect: split
// kernel: wide_lowest
// arg: buffer long X
// arg: buffer long 4 zero
// arg: buffer long X
// part: 8..10 reads 0 4096..5120
// part: 8..10 writes 1 0..32
// part: 8..10 reads 1 0..32
// way: 2 own
// part: 8..10 writes 2 4096..5120 exact
// way: 1 private min 8
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void wide_lowest(__global const long *in, __global long *low, __global long *out)
{
    size_t i = get_global_id(0);
#ifdef cl_khr_int64_extended_atomics
    atom_min(&low[in[i] & 3], in[i]);
#endif
    out[i] = ~in[i];
}
