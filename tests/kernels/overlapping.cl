/* SPDX-License-Identifier: MIT */
/* Each item writes its neighbour's element too, the same value. */
// expect: split
// kernel: overlapping
// arg: buffer int X+1
// part: 8..10 writes 0 2048..2564 exact
// way: 0 merge 4
__kernel void overlapping(__global int *out)
{
    int i = get_global_id(0);
    out[i] = i * 2;
    out[i + 1] = i * 2 + 2;
}
