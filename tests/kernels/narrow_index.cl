/* SPDX-License-Identifier: MIT */
/* A short index that turns negative beyond 32767, caught by a guard. */
// expect: split
// kernel: narrow_index
// arg: buffer int 1000
// size: 40000
// local: 100
// way: 0 own
__kernel void narrow_index(__global int *out)
{
    short i = (short)get_global_id(0);
    if (i >= 0 && i < 1000)
        out[i] = i;
}
