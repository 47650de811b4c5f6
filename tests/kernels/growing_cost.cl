/* SPDX-License-Identifier: MIT */
/* Later items cost more and read more. */
// expect: split
// kernel: growing_cost
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 0..4096
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void growing_cost(__global const int *in, __global int *out)
{
    int n = get_global_id(0), sum = 0;
    for (int j = 0; j <= n; j++)
        sum += in[j] * j;
    out[n] = sum;
}
