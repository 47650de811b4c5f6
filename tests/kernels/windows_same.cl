/* SPDX-License-Identifier: MIT */
/* Two equal windows: every item reads and writes its own. */
// expect: split
// kernel: windows_same
// arg: buffer int X*32+64
// arg: window 0 32 X
// arg: window 0 32 X
// way: 0 own
// way: 1 own
// part: 8..10 reads 1 2048..2560
// way: 2 own
// part: 8..10 writes 2 2048..2560 exact
__kernel void windows_same(__global const int *unused, __global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * 5;
}
