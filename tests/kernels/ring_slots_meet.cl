/* SPDX-License-Identifier: MIT */
/* As ring_of_planes, but the slots lie two planes too close: the end of one meets the beginning of the other. */
// expect: any
// kernel: ring_slots_meet
// size: 8192
// local: 64
// arg: buffer float X*2
// arg: int 16
// arg: int 8
// arg: int X/128
// compare: no 0
// reason: stores-race
__kernel void ring_slots_meet(__global float *cell, uint width, uint height, uint depth)
{
    uint i = get_global_id(0), all = width * height * depth;
    uint column = i % width, row = i / width % height, plane = i / (width * height);
    uint ahead = column + (row + (plane + 1) % depth * height) * width;
    size_t other = all - 2 * width * height + ahead;
    float here = cell[i], there = cell[other];
    cell[i] = there + 1;
    cell[other] = here - 1;
}
