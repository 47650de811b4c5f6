/* SPDX-License-Identifier: MIT */
/* Two windows written, apart. */
// expect: split
// kernel: windows_written
// arg: buffer int X*64
// arg: window 0 0 X*32
// arg: window 0 X*32 X*32
// way: 0 own
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
// way: 2 own
// part: 8..10 writes 2 2048..2560 exact
__kernel void windows_written(__global const int *unused, __global int *low, __global int *high)
{
    size_t i = get_global_id(0);
    low[i] = 1;
    high[i] = 2;
}
