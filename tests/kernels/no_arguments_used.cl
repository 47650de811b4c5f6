/* SPDX-License-Identifier: MIT */
/* An argument that no code touches, beside one that is written. */
// expect: split
// kernel: no_arguments_used
// arg: buffer int 16
// arg: buffer int X
// part: 8..10 writes 1 2048..2560 exact
// way: 0 none
// way: 1 own
__kernel void no_arguments_used(__global int *spare, __global int *out)
{
    out[get_global_id(0)] = 8;
}
