/* SPDX-License-Identifier: MIT */
/* Each item writes its neighbour's element too, the same value. */
// expect: whole (neighbouring groups overlap)
// kernel: overlapping
// arg: buffer int X+1
__kernel void overlapping(__global int *out)
{
    int i = get_global_id(0);
    out[i] = i * 2;
    out[i + 1] = i * 2 + 2;
}
