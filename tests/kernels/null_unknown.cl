/* SPDX-License-Identifier: MIT */
/* A NULL buffer that would be written at unknown places. */
// expect: split
// kernel: null_unknown
// arg: buffer int X below X
// arg: null
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 2 2048..2560 exact
// way: 2 own
__kernel void null_unknown(__global const int *in, __global int *extra, __global int *out)
{
    size_t i = get_global_id(0);
    if (extra)
        extra[in[i]] = 1;
    out[i] = in[i];
}
