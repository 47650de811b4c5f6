/* SPDX-License-Identifier: MIT */
/* Each item changes a cell of its own and one a plane ahead, on a ring, in halves that change places. */
// expect: split
// kernel: ring_of_planes
// size: 8192
// local: 64
// arg: buffer float X*2
// arg: int 16
// arg: int 8
// arg: int X/128
// arg: int 1
// way: 0 own
__kernel void ring_of_planes(__global float *cell, uint width, uint height, uint depth, uint half_of)
{
    uint i = get_global_id(0), all = width * height * depth;
    if (i >= all)
        return;
    uint column = i % width, row = i / width % height, plane = i / (width * height);
    uint ahead = column + (row + (plane + 1) % depth * height) * width;
    size_t own = (size_t)(half_of ? 0 : 1) * all + i, other = (size_t)(half_of ? 1 : 0) * all + ahead;
    float here = cell[own], there = cell[other], mean = 0.5f * (here + there);
    cell[own] = there + 0.25f * (mean - there);
    cell[other] = here + 0.25f * (mean - here);
}
