/* SPDX-License-Identifier: MIT */
/* Only some places are written, all others keep what they held. */
// expect: split
// kernel: scatter_half_used
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 4
__kernel void scatter_half_used(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] & 1)
        out[index[i]] = in[i];
}
