/* SPDX-License-Identifier: MIT */
/* A pointer that walks down from the end. */
// expect: split
// kernel: pointer_backwards
// arg: buffer short X*6
// arg: int X*6
// part: 8..10 writes 0 4608..6144 exact
// way: 0 own
__kernel void pointer_backwards(__global short *out, int n)
{
    __global short *end = out + n - 6 * get_global_id(0);
    for (int j = 0; j < 6; j++)
        *--end = (short)(j * 7);
}
