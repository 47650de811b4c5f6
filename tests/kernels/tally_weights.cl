/* SPDX-License-Identifier: MIT */
/* A histogram of weights, some of them negative. */
// expect: split
// kernel: tally_weights
// arg: buffer int X below 50
// arg: buffer int X
// arg: buffer int 50 zero
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// reads: 2 unknown
// way: 2 private add 4
__kernel void tally_weights(__global const int *place, __global const int *weight, __global int *sums)
{
    size_t i = get_global_id(0);
    atomic_add(&sums[place[i]], weight[i]);
}
