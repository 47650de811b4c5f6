/* SPDX-License-Identifier: MIT */
/* Reads columns, writes rows. */
// expect: split
// kernel: turned
// dims: 2
// arg: buffer int X*Y
// arg: buffer int X*Y
// arg: int X
// arg: int Y
__kernel void turned(__global const int *in, __global int *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[x * height + y];
}
