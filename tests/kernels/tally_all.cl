/* SPDX-License-Identifier: MIT */
/* Every item counts: one counter for the whole launch. */
// expect: split
// kernel: tally_all
// arg: buffer uint 2 zero
// way: 0 private add 4
__kernel void tally_all(__global uint *count)
{
    atomic_inc(count);
}
