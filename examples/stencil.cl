/* SPDX-License-Identifier: MIT */
/*
 * Heat on a square plate, one time step: each cell moves towards the mean of its four neighbours; nothing
 * leaves at the edges. In no paper; the usual test of what an exchange of borders costs. Regular: every
 * work-item costs the same, and is bound by memory.
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel void stencil(__global const float *before, __global float *after, int side, float rate)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= side || y >= side)
        return;

    __global const float *row = before + (size_t)y * side;
    __global const float *above = before + (size_t)max(y - 1, 0) * side;
    __global const float *below = before + (size_t)min(y + 1, side - 1) * side;
    float around = above[x] + below[x] + row[max(x - 1, 0)] + row[min(x + 1, side - 1)];
    after[(size_t)y * side + x] = row[x] + rate * (around - 4.0f * row[x]);
}
