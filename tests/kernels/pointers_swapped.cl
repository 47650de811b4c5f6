/* SPDX-License-Identifier: MIT */
/* Two pointers that change places in a loop. */
// expect: split
// kernel: pointers_swapped
// arg: buffer int X*8
// arg: buffer int X*8
// way: 0 merge 4
// writes: 0 unknown
// reads: 0 unknown
// way: 1 merge 4
// writes: 1 unknown
// reads: 1 unknown
__kernel void pointers_swapped(__global int *a, __global int *b)
{
    int i = get_global_id(0);
    __global int *p = a + i * 8, *q = b + i * 8;
    for (int k = 0; k < 5; k++) {
        p[k] = q[k] + k;
        __global int *t = p;
        p = q;
        q = t;
    }
}
