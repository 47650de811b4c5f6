/* SPDX-License-Identifier: MIT */
/* A choice that never comes, since it looks one too far: each row only moves on by one place. */
// expect: split
// kernel: ring_beyond_end
// size: 2040
// local: 60
// arg: buffer int X*2
// arg: int 17
// way: 0 own
__kernel void ring_beyond_end(__global int *out, uint width)
{
    uint i = get_global_id(0), column = i % width, row = i / width;
    uint ahead = column + 1 > width ? 0 : column + 1;
    out[ahead + (row == 119 ? 0 : row + 1) * width] = i;
}
