/* SPDX-License-Identifier: MIT */
/* Unknown rows of a space, launched in three dimensions. */
// expect: split
// kernel: merged_planes
// dims: 3
// arg: buffer int Z order
// arg: buffer short X*Y*Z
// arg: int X
// arg: int Y
// cut: 2 by 1
// part: 2..4 reads 0 16..32
// writes: 1 unknown
// way: 1 merge 2
__kernel void merged_planes(__global const int *plane, __global short *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), z = plane[get_global_id(2)];
    out[(z * height + y) * width + x] = (short)(x + y + z);
}
