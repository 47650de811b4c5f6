/* SPDX-License-Identifier: MIT */
/* A private array that is changed by bytes and at an unknown place. */
// expect: split
// kernel: private_array_bytes
// arg: buffer int X*8+8
// way: 0 merge 4
// writes: 0 unknown
__kernel void private_array_bytes(__global int *o)
{
    int t[4] = {0, 1, 2, 3};
    int i = get_global_id(0);
    *(char *)((char *)t + 4) = 6;
    t[(i >> 2) & 3] = 7;
    o[i * 8 + t[i & 3]] = i;
}
