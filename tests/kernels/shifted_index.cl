/* SPDX-License-Identifier: MIT */
/* An index put together from bits. */
// expect: split
// kernel: shifted_index
// arg: buffer int X
// arg: int X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void shifted_index(__global int *out, int n)
{
    int i = get_global_id(0);
    out[(i & ~7) | (i & 7)] = n ^ i;
}
