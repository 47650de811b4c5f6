/* SPDX-License-Identifier: MIT */
/* Negative numbers shifted to the right. */
// expect: split
// kernel: index_shifted_down
// arg: buffer int X+64
// way: 0 own
// part: 8..10 writes 0 1024..1280
__kernel void index_shifted_down(__global int *o)
{
    int i = (int)get_global_id(0) - 40;
    int s = (i >> 1);
    if (!(i & 1)) {
        o[s + 20] = i;
    }
}
