/* SPDX-License-Identifier: MIT */
/* Negative intermediate indices. */
// expect: split
// kernel: signed_back
// arg: buffer int X*2+1
// arg: int X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void signed_back(__global int *out, int middle)
{
    int i = (int)get_global_id(0) - middle;
    out[middle + i] = i;
}
