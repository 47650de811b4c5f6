/* SPDX-License-Identifier: MIT */
/* Writes run against the range: the first package owns the end. */
// expect: split
// kernel: mirrored
// arg: buffer int X
// arg: buffer int X
// arg: int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 1536..2048 exact
__kernel void mirrored(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    out[n - 1 - i] = in[i];
}
