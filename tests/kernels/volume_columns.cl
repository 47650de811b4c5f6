/* SPDX-License-Identifier: MIT */
/* Columns of rows of planes with a gap between the planes: rows in two levels. */
// expect: split
// cut: 0 by 1
// part: 6..8 writes 0 96..1280 boxed
// way: 0 own
// before: no 0
// kernel: volume_columns
// dims: 3
// size: 48,3,2
// local: 4,3,2
// arg: buffer int X*Y*Z+X*Z
// arg: int X
// arg: int Y+1
__kernel void volume_columns(__global int *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
}
