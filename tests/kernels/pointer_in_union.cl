/* SPDX-License-Identifier: MIT */
/* One pointer, moved as another type. */
// expect: split
// kernel: pointer_in_union
// arg: buffer int X*2
// way: 0 own
// part: 8..10 writes 0 4099..5120
__kernel void pointer_in_union(__global int *a)
{
    union {
        __global int *i;
        __global char *c;
    } u;
    size_t g = get_global_id(0);
    u.i = a;
    u.c += g * 8;
    u.i[1] = (int)g;
    u.c[3] = 7;
}
