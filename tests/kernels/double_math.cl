/* SPDX-License-Identifier: MIT */
/* Double precision with library functions. */
// expect: split
// kernel: double_math
// arg: buffer double X
// arg: buffer double X
// part: 8..10 reads 0 4096..5120
// way: 1 own
// part: 8..10 writes 1 4096..5120 exact
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void double_math(__global const double *in, __global double *out)
{
    size_t i = get_global_id(0);
    out[i] = sqrt(fabs(in[i])) + sin(in[i]) * 0.5;
}
