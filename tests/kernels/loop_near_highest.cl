/* SPDX-License-Identifier: MIT */
/* Bounds that wrap round. */
// expect: split
// kernel: loop_near_highest
// arg: buffer int X*4+8
// arg: uint 4294967294
// way: 0 own
// part: 8..10 writes 0 8192..10240 exact
__kernel void loop_near_highest(__global int *o, uint n)
{
    size_t i = get_global_id(0);
    for (uint k = n; k < n + 4u; k++)
        o[i * 4 + (k & 3u)] = 1;
    for (uint k = n; k != n + 4u; k++)
        o[i * 4 + (k - n)] = 2;
}
