/* SPDX-License-Identifier: MIT */
/* One buffer as three arguments, each item at its own place. */
// expect: split
// kernel: same_thrice
// arg: buffer int X*2
// arg: same 0
// arg: same 0
// way: 0 own
// part: 8..10 reads 0 4096..5116
// way: 1 own
// part: 8..10 reads 1 4100..5120
// way: 2 own
// part: 8..10 writes 2 4096..5116
__kernel void same_thrice(__global const int *a, __global const int *b, __global int *c)
{
    size_t i = get_global_id(0);
    c[2 * i] = a[2 * i] + b[2 * i + 1];
}
