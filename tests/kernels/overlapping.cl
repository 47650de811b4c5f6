/* SPDX-License-Identifier: MIT */
/* Each item writes its neighbour's element too, the same value, which is not seen. */
// expect: whole (stores that race)
// kernel: overlapping
// arg: buffer int X+1
// part: 8..10 writes 0 2048..2564 exact
// reason: stores-race
__kernel void overlapping(__global int *out)
{
    int i = get_global_id(0);
    out[i] = i * 2; // here
    out[i + 1] = i * 2 + 2; // there
}
