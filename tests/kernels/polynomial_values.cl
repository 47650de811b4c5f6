/* SPDX-License-Identifier: MIT */
/* A polynomial in double precision by Horner's scheme. */
// expect: split
// kernel: polynomial_values
// arg: buffer double X
// arg: buffer double 6
// arg: buffer double X
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void polynomial_values(__global const double *x, __constant double *c, __global double *out)
{
    size_t i = get_global_id(0);
    double v = 0.0;
    for (int k = 5; k >= 0; k--)
        v = v * x[i] + c[k];
    out[i] = v;
}
