/* SPDX-License-Identifier: MIT */
/* A rotation by the remainder of negative numbers. */
// expect: any
// kernel: modulo_negative
// arg: buffer int X+64
// way: 0 merge 4
// part: 8..10 writes 0 0..4096
__kernel void modulo_negative(__global int *o)
{
    int i = (int)get_global_id(0) - 7;
    int n = (int)(get_global_size(0) + get_global_offset(0));
    o[(i % n + n) % n] = i;
}
