/* SPDX-License-Identifier: MIT */
/* Two windows written, apart. */
// expect: split
// kernel: windows_written
// arg: buffer int X*64
// arg: window 0 0 X*32
// arg: window 0 X*32 X*32
__kernel void windows_written(__global const int *unused, __global int *low, __global int *high)
{
    size_t i = get_global_id(0);
    low[i] = 1;
    high[i] = 2;
}
