/* SPDX-License-Identifier: MIT */
/* Items at both ends do nothing. */
// expect: split
// kernel: guard_both_sides
// arg: buffer int X
// arg: int 5
// arg: int X-5
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void guard_both_sides(__global int *out, int low, int high)
{
    int i = get_global_id(0);
    if (i < low || i >= high)
        return;
    out[i] = i * i;
}
