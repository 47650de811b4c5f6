/* SPDX-License-Identifier: MIT */
/* A loop over numbers that a function hands out until it gives -1. */
// expect: split
// kernel: sentinel_next
// arg: buffer uint X
// arg: int 3000
// arg: buffer uint 3000
// way: 2 own
static int next_place(int place, int n)
{
    if (place < 0)
        place = (int)get_global_id(0);
    else
        place += (int)get_global_size(0);
    return place < n ? place : -1;
}
__kernel void sentinel_next(__global const uint *in, int n, __global uint *out)
{
    int place = -1;
    while ((place = next_place(place, n)) >= 0)
        out[place] = in[get_global_id(0)] + (uint)place;
}
