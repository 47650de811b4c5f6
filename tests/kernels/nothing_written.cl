/* SPDX-License-Identifier: MIT */
/* Writes that never happen. */
// expect: any
// kernel: nothing_written
// arg: buffer int X
// arg: buffer int 1
// part: 8..10 reads 0 2048..2560
// way: 1 own
__kernel void nothing_written(__global const int *in, __global int *out)
{
    if (in[get_global_id(0)] == 0x7fffffff && get_global_id(0) == 0x7fffff)
        out[0] = 1;
}
