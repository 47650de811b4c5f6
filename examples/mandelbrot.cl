/* SPDX-License-Identifier: MIT */
/*
 * The Mandelbrot set: for each pixel the number of steps until its orbit leaves the circle of radius 2. From
 * the Sigmoid paper. Irregular: a pixel costs between one step and max_steps, with large differences between
 * neighbouring rows.
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel void mandelbrot(__global uint *steps, uint width, uint height, float center_x, float center_y,
                         float pixel, uint max_steps)
{
    size_t x = get_global_id(0);
    size_t y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    /* Measured from the middle, so that rows at equal distance above and below it get opposite values. */
    float c_re = center_x + ((float)x - 0.5f * (float)(width - 1)) * pixel;
    float c_im = center_y + ((float)y - 0.5f * (float)(height - 1)) * pixel;
    float re = 0.0f, im = 0.0f, re2 = 0.0f, im2 = 0.0f;
    uint step = 0;
    while (step < max_steps && re2 + im2 <= 4.0f) {
        im = 2.0f * re * im + c_im;
        re = re2 - im2 + c_re;
        re2 = re * re;
        im2 = im * im;
        step++;
    }
    steps[y * width + x] = step;
}
