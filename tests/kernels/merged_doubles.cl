/* SPDX-License-Identifier: MIT */
/* Unknown places of doubles. */
// expect: split
// kernel: merged_doubles
// arg: buffer double X
// arg: buffer int X order
// arg: buffer double X
// part: 8..10 reads 0 4096..5120
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void merged_doubles(__global const double *in, __global const int *index, __global double *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i] * 0.5;
}
