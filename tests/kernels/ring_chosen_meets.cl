/* SPDX-License-Identifier: MIT */
/* A choice that starts again at the second column: two items of each row write to one place. */
// expect: any
// kernel: ring_chosen_meets
// size: 2040
// local: 60
// arg: buffer int X*2
// arg: int 17
// compare: no 0
// way: 0 merge 4
__kernel void ring_chosen_meets(__global int *out, uint width)
{
    uint i = get_global_id(0), column = i % width, row = i / width;
    uint ahead = column + 1 == width ? 1 : column + 1;
    out[ahead + (row == 119 ? 0 : row + 1) * width] = i;
}
