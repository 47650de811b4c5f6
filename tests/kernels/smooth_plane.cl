/* SPDX-License-Identifier: MIT */
/* A 3x3 stencil that leaves the rim as it was. */
// expect: split
// kernel: smooth_plane
// dims: 2
// arg: buffer float X*Y
// arg: buffer float X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 3840..6400
// way: 1 own
// part: 4..6 writes 1 4100..6140
__kernel void smooth_plane(__global const float *in, __global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
        return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy) * width + x + dx];
    out[y * width + x] = sum / 9.0f;
}
