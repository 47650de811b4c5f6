/* SPDX-License-Identifier: MIT */
/* Two windows of one buffer, 32 elements apart: reads of what others write. */
// expect: split
// kernel: windows_meet
// arg: buffer int X+64
// arg: window 0 0 X
// arg: window 0 32 X
// compare: no 0
// way: 0 own
// way: 1 own
// part: 8..10 reads 1 2048..2560
// way: 2 own
// part: 8..10 writes 2 2048..2560 exact
// before: 2
__kernel void windows_meet(__global const int *unused, __global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + 1;
}
