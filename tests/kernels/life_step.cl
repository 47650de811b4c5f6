/* SPDX-License-Identifier: MIT */
/* A generation of the Game of Life on a torus. */
// expect: split
// kernel: life_step
// dims: 2
// arg: buffer uchar X*Y below 2
// arg: buffer uchar X*Y
// arg: int X
// arg: int Y
__kernel void life_step(__global const uchar *in, __global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                sum += in[((y + dy + height) % height) * width + (x + dx + width) % width];
    out[y * width + x] = sum == 3 || (sum == 2 && in[y * width + x]);
}
