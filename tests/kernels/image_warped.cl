/* SPDX-License-Identifier: MIT */
/* An image sampled at computed floating-point places. */
// expect: split
// kernel: image_warped
// dims: 2
// arg: buffer float X*Y
// arg: buffer float X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 0..8192
// part: 4..6 writes 1 4096..6144 exact
// way: 1 own
__kernel void image_warped(__global const float *in, __global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    float fx = (float)x + 2.0f * sin((float)y * 0.3f), fy = (float)y + 2.0f * cos((float)x * 0.3f);
    int sx = clamp((int)fx, 0, width - 1), sy = clamp((int)fy, 0, height - 1);
    out[y * width + x] = in[sy * width + sx];
}
