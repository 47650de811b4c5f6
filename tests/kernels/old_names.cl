/* SPDX-License-Identifier: MIT */
/* The names that atomics had in OpenCL 1.0. */
// expect: split
// kernel: old_names
// arg: buffer int X below 40
// arg: buffer int 40
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// way: 1 private add 4
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
__kernel void old_names(__global const int *in, __global int *bins)
{
    int v = in[get_global_id(0)];
    atom_inc(&bins[v]);
    atom_add(&bins[39 - v], 2);
}
