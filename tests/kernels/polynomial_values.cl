/* SPDX-License-Identifier: MIT */
/* A polynomial in double precision by Horner's scheme. */
// expect: split
// kernel: polynomial_values
// arg: buffer double X
// arg: buffer double 6
// arg: buffer double X
// part: 8..10 reads 0 4096..5120
// part: 8..10 reads 1 0..48
// way: 2 own
// part: 8..10 writes 2 4096..5120 exact
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void polynomial_values(__global const double *x, __constant double *c, __global double *out)
{
    size_t i = get_global_id(0);
    double v = 0.0;
    for (int k = 5; k >= 0; k--)
        v = v * x[i] + c[k];
    out[i] = v;
}
