/* SPDX-License-Identifier: MIT */
/* Two pointers exchanged in a loop. */
// arg: buffer int X
// kernel: pointer_in_loop
// arg: buffer int X
// expect: split
// way: 0 merge 4
// writes: 0 unknown
// reads: 0 unknown
// way: 1 merge 4
// writes: 1 unknown
// reads: 1 unknown
__kernel void pointer_in_loop(__global int *a, __global int *b)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < 5; k++) {
        __global int *t = a;
        b[i] = a[i] + k;
        a = b;
        b = t;
    }
}
