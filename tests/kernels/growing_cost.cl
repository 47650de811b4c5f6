/* SPDX-License-Identifier: MIT */
/* Later items cost more and read more. */
// expect: split
// kernel: growing_cost
// arg: buffer int X
// arg: buffer int X
__kernel void growing_cost(__global const int *in, __global int *out)
{
    int n = get_global_id(0), sum = 0;
    for (int j = 0; j <= n; j++)
        sum += in[j] * j;
    out[n] = sum;
}
