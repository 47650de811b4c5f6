/* SPDX-License-Identifier: MIT */
/* A bilateral filter. */
// expect: split
// kernel: bilateral_plane
// dims: 2
// arg: buffer float X*Y
// arg: buffer float X*Y
// arg: int X
// arg: int Y
// cut: 1 by 1
// part: 4..6 reads 0 3576..7176
// way: 1 own
// part: 4..6 writes 1 4096..6144 exact
__kernel void bilateral_plane(__global const float *in, __global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    float middle = in[y * width + x], sum = 0.0f, weights = 0.0f;
    for (int yy = max(y - 2, 0); yy <= min(y + 2, height - 1); yy++)
        for (int xx = max(x - 2, 0); xx <= min(x + 2, width - 1); xx++) {
            float v = in[yy * width + xx], w = exp(-(v - middle) * (v - middle) - 0.1f * (float)(x - xx) * (x - xx));
            sum += v * w;
            weights += w;
        }
    out[y * width + x] = sum / weights;
}
