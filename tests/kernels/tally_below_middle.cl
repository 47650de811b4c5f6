/* SPDX-License-Identifier: MIT */
/* Counters on both sides of a pointer into the middle. */
// expect: split
// kernel: tally_below_middle
// arg: buffer int 64 zero
// arg: buffer int X
// way: 0 private add 4
// part: 8..10 writes 0 4..256
// part: 8..10 reads 0 4..256
// part: 8..10 reads 1 2048..2560
__kernel void tally_below_middle(__global int *h, __global const int *in)
{
    size_t i = get_global_id(0);
    __global int *mid = h + 32;
    atomic_add(mid + (in[i] % 32), 3);
}
