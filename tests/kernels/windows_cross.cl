/* SPDX-License-Identifier: MIT */
/* Two windows that overlap, written with the same values. */
// expect: split
// kernel: windows_cross
// arg: buffer int X*2+256
// arg: window 0 32 X+64
// arg: window 0 64 X+64
// way: 0 merge 4
// way: 1 merge 4
// part: 8..10 writes 1 2048..2560 exact
// way: 2 merge 4
// part: 8..10 writes 2 2048..2560 exact
__kernel void windows_cross(__global int *all, __global int *a, __global int *b)
{
    size_t i = get_global_id(0);
    a[i] = 5;
    b[i] = 5;
}
