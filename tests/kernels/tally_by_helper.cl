/* SPDX-License-Identifier: MIT */
/* The atomic is in a helper of a helper. */
// expect: split
// kernel: tally_by_helper
// arg: buffer int X below 64
// arg: buffer uint 64
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// way: 1 private add 4
void tally_by_helper_one(volatile __global uint *at)
{
    atomic_inc(at);
}
void tally_by_helper_two(volatile __global uint *bins, int a, int b)
{
    tally_by_helper_one(bins + a);
    if (a != b)
        tally_by_helper_one(bins + b);
}
__kernel void tally_by_helper(__global const int *in, volatile __global uint *bins)
{
    int v = in[get_global_id(0)];
    tally_by_helper_two(bins, v, 63 - v);
}
