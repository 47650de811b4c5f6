/* SPDX-License-Identifier: MIT */
/* Counters that go down, by one and by more. */
// expect: split
// kernel: tally_down
// arg: buffer int X below 20
// arg: buffer int 20
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// way: 1 private add 4
__kernel void tally_down(__global const int *in, __global int *left)
{
    int v = in[get_global_id(0)];
    atomic_dec(&left[v]);
    if (v & 1)
        atomic_sub(&left[v], v);
}
