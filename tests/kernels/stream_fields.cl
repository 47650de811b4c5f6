/* SPDX-License-Identifier: MIT */
/* Streams in place in structs: two fields of each cell, one of the cell ahead in both dimensions. */
// expect: split
// kernel: stream_fields
// dims: 2
// size: 24,20
// local: 8,2
// arg: buffer int W*H*4
// arg: int W
// arg: int H
// way: 0 own
// before: no 0
struct cell {
    int rest, here, ahead, weight;
};
__kernel void stream_fields(__global struct cell *f, uint nx, uint ny)
{
    const uint x = get_global_id(0), y = get_global_id(1);
    const uint n = x + nx * y, to = (x + 1) % nx + nx * ((y + 1) % ny);
    const int here = f[n].here;
    f[n].here = f[to].ahead + 1;
    f[to].ahead = here;
}
