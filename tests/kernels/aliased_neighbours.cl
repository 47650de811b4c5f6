/* SPDX-License-Identifier: MIT */
/* One buffer as two arguments, read in its upper half and written in the lower one. */
// expect: any
// kernel: aliased_neighbours
// arg: buffer int X*2
// arg: same 0
// arg: int X
// way: 0 own
// part: 8..10 reads 0 6144..6660
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void aliased_neighbours(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    out[i] = in[n + i] + in[n + (i + 1) % n];
}
