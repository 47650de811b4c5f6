/* SPDX-License-Identifier: MIT */
/* Tiles of 2 by 3 elements an item, cut across: parts of many rows. */
// expect: split
// cut: 0 by 1
// part: 6..8 writes 0 144..2208 boxed
// way: 0 own
// before: no 0
// kernel: tiles_across
// dims: 2
// size: 48,4
// local: 4,4
// arg: buffer short X*3*Y*2
// arg: int X*3
__kernel void tiles_across(__global short *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++)
            out[(y * 2 + j) * width + x * 3 + i] = x * 7 + y * 11 + i + j;
}
