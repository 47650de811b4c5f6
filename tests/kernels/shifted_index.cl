/* SPDX-License-Identifier: MIT */
/* An index put together from bits. */
// expect: split
// kernel: shifted_index
// arg: buffer int X
// arg: int X
__kernel void shifted_index(__global int *out, int n)
{
    int i = get_global_id(0);
    out[(i & ~7) | (i & 7)] = n ^ i;
}
