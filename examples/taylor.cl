/* SPDX-License-Identifier: MIT */
/*
 * The Taylor polynomial of a function of two variables, at each point of a square grid, by Horner's rule in
 * both variables. From the Sigmoid paper. Regular: every point costs the same, (degree + 1) * (degree + 2) /
 * 2 terms.
 */
#pragma OPENCL FP_CONTRACT OFF

/* The coefficients of x^0: those of y^0 to y^degree; then those of x^1: y^0 to y^(degree - 1); and so on. */
__kernel void taylor(__global const float *coefficients, int degree, float reach, uint side,
                     __global float *values)
{
    size_t column = get_global_id(0);
    size_t row = get_global_id(1);
    if (column >= side || row >= side)
        return;

    float spacing = 2.0f * reach / (float)side;
    float x = (float)column * spacing - reach;
    float y = (float)row * spacing - reach;
    int term = (degree + 1) * (degree + 2) / 2;
    float sum = 0.0f;
    for (int power = degree; power >= 0; power--) {
        float in_y = 0.0f;
        for (int left = degree - power; left >= 0; left--)
            in_y = in_y * y + coefficients[--term];
        sum = sum * x + in_y;
    }
    values[row * side + column] = sum;
}
