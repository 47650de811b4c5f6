/* SPDX-License-Identifier: MIT */
/* A wave equation with three buffers, one of them in place. */
// expect: split
// kernel: wave_step
// dims: 2
// arg: buffer float X*Y
// arg: buffer float X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 3844..6396
// way: 1 own
// part: 4..6 writes 1 4100..6140
// part: 4..6 reads 1 4100..6140
__kernel void wave_step(__global const float *now, __global float *next, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        next[i] = 2.0f * now[i] - next[i] +
                  0.2f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4.0f * now[i]);
}
