/* SPDX-License-Identifier: MIT */
/* Counters that go down, by one and by more. */
// expect: split
// kernel: tally_down
// arg: buffer int X below 20
// arg: buffer int 20
// way: 1 private add 4
__kernel void tally_down(__global const int *in, __global int *left)
{
    int v = in[get_global_id(0)];
    atomic_dec(&left[v]);
    if (v & 1)
        atomic_sub(&left[v], v);
}
