/* SPDX-License-Identifier: MIT */
/* Two windows of one buffer: one is read, one is written, and they do not meet. */
// expect: split
// kernel: windows_apart
// arg: buffer int X*64
// arg: window 0 0 X*32
// arg: window 0 X*32 X*32
// way: 0 own
// way: 1 own
// part: 8..10 reads 1 2048..2560
// way: 2 own
// part: 8..10 writes 2 4096..5116
__kernel void windows_apart(__global const int *unused, __global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i * 2] = in[i] - 1;
}
