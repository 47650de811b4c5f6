/* SPDX-License-Identifier: MIT */
/* Order turned within blocks of 16 that need not meet the groups. */
// expect: split
// kernel: rounded_blocks
// arg: buffer int X+16
// way: 0 own
// part: 8..10 writes 0 2048..2560
__kernel void rounded_blocks(__global int *out)
{
    uint i = get_global_id(0);
    out[(i / 16) * 16 + (15 - i % 16)] = (int)i;
}
