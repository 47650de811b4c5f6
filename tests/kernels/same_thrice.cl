/* SPDX-License-Identifier: MIT */
/* One buffer as three arguments, each item at home. */
// expect: split
// kernel: same_thrice
// arg: buffer int X*2
// arg: same 0
// arg: same 0
__kernel void same_thrice(__global const int *a, __global const int *b, __global int *c)
{
    size_t i = get_global_id(0);
    c[2 * i] = a[2 * i] + b[2 * i + 1];
}
