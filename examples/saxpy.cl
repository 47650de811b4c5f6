/* SPDX-License-Identifier: MIT */
/*
 * y = factor * x + y in place. From the Marrow paper. Regular: every work-item costs the same, reads and
 * writes its own element of y.
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel void saxpy(ulong n, float factor, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    y[i] = factor * x[i] + y[i];
}
