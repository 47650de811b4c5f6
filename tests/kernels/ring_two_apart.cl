/* SPDX-License-Identifier: MIT */
/* Two steps around different rings into one slot: what one item writes another one reads and writes. */
// expect: whole
// kernel: ring_two_apart
// size: 2048
// local: 16
// arg: buffer int X
// arg: int 16
// reason: stores-race
__kernel void ring_two_apart(__global int *f, uint width)
{
    uint i = get_global_id(0), column = i % width, row = i / width;
    f[i] += 1;
    f[column + (row + 2) % 128 * width] += 2;
}
