/* SPDX-License-Identifier: MIT */
/* The same, but the first number is given by the caller, and the end by a condition of its own. */
// expect: split
// kernel: sentinel_first
// arg: buffer uint X
// arg: int 3000
// arg: buffer uint 3000
// way: 2 own
static int advance(int place, int n)
{
    place += (int)get_global_size(0);
    return place < n ? place : -1;
}
__kernel void sentinel_first(__global const uint *in, int n, __global uint *out)
{
    int place = get_global_id(0) < n ? (int)get_global_id(0) : -1;
    while (place >= 0) {
        out[place] = in[get_global_id(0)] * 3 + (uint)place;
        place = advance(place, n);
    }
}
