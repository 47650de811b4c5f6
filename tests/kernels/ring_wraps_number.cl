/* SPDX-License-Identifier: MIT */
/* The rows of a ring are so far apart that their places wrap around in 32 bits, all rows on one. */
// expect: any
// kernel: ring_wraps_number
// size: 256
// local: 16
// arg: buffer int X
// arg: int 16
// arg: int 2147483648
// compare: no 0
// way: 0 merge 4
__kernel void ring_wraps_number(__global int *out, uint width, uint pitch)
{
    uint i = get_global_id(0), column = i % width, row = i / width;
    out[(column + 1) % width + (row + 1) % 16 * 2 * pitch] = i;
}
