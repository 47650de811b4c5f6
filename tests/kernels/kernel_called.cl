/* SPDX-License-Identifier: MIT */
/* A kernel that calls another one. */
// expect: any
// kernel: kernel_called
// arg: buffer int X*2
// way: 0 own
// part: 8..10 writes 0 4096..5120 exact
__kernel void kernel_called_kernel_inner(__global int *o, int shift)
{
    o[get_global_id(0) * 2 + shift] = (int)get_group_id(0) + shift;
}
__kernel void kernel_called(__global int *o)
{
    kernel_called_kernel_inner(o, 1);
    kernel_called_kernel_inner(o, 0);
}
