/* SPDX-License-Identifier: MIT */
/* A helper chooses one of two pointers. */
// expect: split
// kernel: pointer_by_helper
// arg: buffer int X
// arg: buffer int X
// arg: int 1
// way: 0 own
// part: 8..10 writes 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560
__global int *pointer_by_helper_choose(__global int *a, __global int *b, int which)
{
    return which ? b + 0 : a + 0;
}
__kernel void pointer_by_helper(__global int *a, __global int *b, int which)
{
    pointer_by_helper_choose(a, b, which)[get_global_id(0)] = 6;
}
