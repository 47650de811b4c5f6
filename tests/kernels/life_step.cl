/* SPDX-License-Identifier: MIT */
/* A generation of the Game of Life on a torus. */
// expect: split
// kernel: life_step
// dims: 2
// arg: buffer uchar X*Y below 2
// arg: buffer uchar X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 0..2048
// way: 1 own
// part: 4..6 writes 1 1024..1536 exact
__kernel void life_step(__global const uchar *in, __global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                sum += in[((y + dy + height) % height) * width + (x + dx + width) % width];
    out[y * width + x] = sum == 3 || (sum == 2 && in[y * width + x]);
}
