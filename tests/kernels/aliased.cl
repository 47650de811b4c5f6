/* SPDX-License-Identifier: MIT */
/* One buffer as two arguments; each item reads only what it writes. */
// expect: split
// kernel: aliased
// arg: buffer int X
// arg: same 0
// way: 0 own
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void aliased(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + 5;
}
