/* SPDX-License-Identifier: MIT */
/* Sizes in a struct by value. */
// expect: split
// kernel: struct_argument
// dims: 2
// arg: buffer int X*Y+10
// arg: ints X Y 10
typedef struct {
    int width, height, first;
} struct_argument_plane;
__kernel void struct_argument(__global int *out, struct_argument_plane p)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < p.width && y < p.height)
        out[p.first + y * p.width + x] = p.height;
}
