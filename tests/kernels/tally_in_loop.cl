/* SPDX-License-Identifier: MIT */
/* Many additions an item, as many as the data say. */
// expect: split
// kernel: tally_in_loop
// arg: buffer int X below 10
// arg: buffer uint 10
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// way: 1 private add 4
__kernel void tally_in_loop(__global const int *in, __global uint *bins)
{
    int v = in[get_global_id(0)];
    for (int i = 0; i <= v; i++)
        atomic_inc(&bins[i]);
}
