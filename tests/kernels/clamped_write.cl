/* SPDX-License-Identifier: MIT */
/* An index clamped to the buffer: the ends are written by several, the same value. */
// arg: buffer int X
// kernel: clamped_write
// arg: int X
// expect: split
// way: 0 own
// part: 8..10 writes 0 2036..2548
__kernel void clamped_write(__global int *out, int n)
{
    int i = (int)get_global_id(0) - 3;
    int at = clamp(i, 0, n - 1);
    out[at] = at * 2;
}
