/* SPDX-License-Identifier: MIT */
/* Stores under a switch, one of them missing. */
// expect: split
// kernel: switch_store
// arg: buffer int X
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560
__kernel void switch_store(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    switch (in[i] & 3) {
    case 0:
        out[i] = 1;
        break;
    case 1:
        out[i] = in[i] * 2;
        break;
    case 2:
        break;
    default:
        out[i] = -in[i];
    }
}
