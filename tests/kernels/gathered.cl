/* SPDX-License-Identifier: MIT */
/* Reads at unknown places: the whole input must be everywhere. */
// expect: split
// kernel: gathered
// arg: buffer int X
// arg: buffer int X below X
// arg: buffer int X
// reads: 0 unknown
// part: 8..10 reads 1 2048..2560
// way: 2 own
// part: 8..10 writes 2 2048..2560 exact
__kernel void gathered(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[index[i]];
}
