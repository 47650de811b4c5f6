/* SPDX-License-Identifier: MIT */
/* Additions behind a guard against foreign values. */
// expect: split
// kernel: tally_guarded
// arg: buffer int X below 100
// arg: buffer uint 50
// arg: int 50
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// way: 1 private add 4
__kernel void tally_guarded(__global const int *in, __global uint *bins, int n)
{
    int v = in[get_global_id(0)];
    if (v >= 0 && v < n)
        atomic_inc(bins + v);
}
