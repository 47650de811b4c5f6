/* SPDX-License-Identifier: MIT */
/* A ring that is one shorter than the rows: two items of each row write to one place. */
// expect: any
// kernel: ring_too_small
// size: 2048
// local: 16
// arg: buffer int X*2
// arg: int 16
// compare: no 0
// way: 0 merge 4
__kernel void ring_too_small(__global int *out, uint width)
{
    uint i = get_global_id(0), column = i % width, row = i / width;
    out[(column + 1) % (width - 1) + (row + 1) % 128 * width] = i;
}
