/* SPDX-License-Identifier: MIT */
/* Sizes in a struct by value. */
// expect: split
// kernel: struct_argument
// dims: 2
// arg: buffer int X*Y+10
// arg: ints X Y 10
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 4136..6184 exact
typedef struct {
    int width, height, first;
} struct_argument_plane;
__kernel void struct_argument(__global int *out, struct_argument_plane p)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < p.width && y < p.height)
        out[p.first + y * p.width + x] = p.height;
}
