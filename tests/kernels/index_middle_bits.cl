/* SPDX-License-Identifier: MIT */
/* Bits from the middle of a number, with others below them. */
// expect: split
// kernel: index_middle_bits
// local: 16
// offset: no
// size: 1024
// arg: buffer int X*4
// way: 0 own
// part: 32..34 writes 0 8192..8512
__kernel void index_middle_bits(__global int *a)
{
    uint i = get_global_id(0);
    a[(i << 2 & 0xfc0) | (i & 15)] = (int)i;
}
