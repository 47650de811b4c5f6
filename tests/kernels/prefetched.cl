/* SPDX-License-Identifier: MIT */
/* A prefetch reads nothing that counts. */
// expect: split
// kernel: prefetched
// arg: buffer int X
// arg: buffer int X
__kernel void prefetched(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    prefetch(in + i, 1);
    out[i] = in[i] + 2;
}
