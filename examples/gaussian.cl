/* SPDX-License-Identifier: MIT */
/*
 * Gaussian blur of a grey picture: each pixel becomes the weighted mean of the square of side 2 * radius + 1
 * around it; the picture's edge pixels stand for those outside. From the Sigmoid paper. Regular: every work-
 * item costs the same, and reads radius rows more than it writes on either side.
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel void gaussian(__global const float *source, __global float *blurred, __constant float *weights,
                       int width, int height, int radius)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int dy = -radius; dy <= radius; dy++) {
        __global const float *row = source + (size_t)clamp(y + dy, 0, height - 1) * width;
        __constant float *row_weights = weights + (dy + radius) * side + radius;
        for (int dx = -radius; dx <= radius; dx++)
            sum += row[clamp(x + dx, 0, width - 1)] * row_weights[dx];
    }
    blurred[(size_t)y * width + x] = sum;
}
