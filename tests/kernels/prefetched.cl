/* SPDX-License-Identifier: MIT */
/* A prefetch reads nothing that counts. */
// expect: split
// kernel: prefetched
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void prefetched(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    prefetch(in + i, 1);
    out[i] = in[i] + 2;
}
