/* SPDX-License-Identifier: MIT */
/* The distance of two pointers, negative at first. */
// expect: any
// kernel: pointers_apart
// arg: buffer int X*2+8
// way: 0 own
// part: 8..10 writes 0 4088..5108
__kernel void pointers_apart(__global int *a)
{
    size_t i = get_global_id(0);
    __global int *p = a + i * 2, *e = a + 3;
    ptrdiff_t d = p - e;
    if (d >= 0)
        a[d + 1] = (int)d;
    else
        a[2 * (get_global_size(0) + get_global_offset(0))] = 1;
}
