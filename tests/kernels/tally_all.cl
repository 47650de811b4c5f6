/* SPDX-License-Identifier: MIT */
/* Every item counts: one counter for the whole launch. */
// expect: split
// kernel: tally_all
// arg: buffer uint 2 zero
// part: 8..10 writes 0 0..4
// part: 8..10 reads 0 0..4
// way: 0 private add 4
__kernel void tally_all(__global uint *count)
{
    atomic_inc(count);
}
