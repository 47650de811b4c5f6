/* SPDX-License-Identifier: MIT */
/* Reads columns, writes rows. */
// expect: split
// kernel: turned
// dims: 2
// arg: buffer int X*Y
// arg: buffer int X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 64..8160
// way: 1 own
// part: 4..6 writes 1 4096..6144 exact
__kernel void turned(__global const int *in, __global int *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[x * height + y];
}
