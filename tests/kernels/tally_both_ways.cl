/* SPDX-License-Identifier: MIT */
/* Add, sub, inc and dec on one buffer are one family. */
// expect: split
// kernel: tally_both_ways
// arg: buffer int X
// arg: buffer int 4
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 0..12
// part: 8..10 reads 1 0..12
// way: 1 private add 4
__kernel void tally_both_ways(__global const int *in, __global int *sums)
{
    int v = in[get_global_id(0)];
    atomic_add(&sums[0], v);
    atomic_sub(&sums[1], v);
    if (v > 0)
        atomic_inc(&sums[2]);
    else
        atomic_dec(&sums[2]);
}
