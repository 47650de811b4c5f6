/* SPDX-License-Identifier: MIT */
/* Which buffer is written is an argument. */
// expect: split
// kernel: chosen_pointer
// arg: buffer int X
// arg: buffer int X
// arg: int 1
// way: 0 own
// part: 8..10 writes 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560
__kernel void chosen_pointer(__global int *a, __global int *b, int second)
{
    __global int *to = second ? b : a;
    to[get_global_id(0)] = (int)get_global_id(0) + 9;
}
