/* SPDX-License-Identifier: MIT */
/* A product with two by two results an item. */
// expect: split
// kernel: product_blocked
// dims: 2
// on: 7/1,112/8
// part: 0..14 reads 1 0..448
// arg: buffer float Y*2*8
// arg: buffer float 8*X*2
// arg: buffer float X*2*Y*2
// arg: int X*2
__kernel void product_blocked(__global const float *a, __global const float *b, __global float *c, int width)
{
    int x = 2 * get_global_id(0), y = 2 * get_global_id(1);
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int k = 0; k < 8; k++) {
        float a0 = a[y * 8 + k], a1 = a[(y + 1) * 8 + k], b0 = b[k * width + x], b1 = b[k * width + x + 1];
        s00 += a0 * b0;
        s01 += a0 * b1;
        s10 += a1 * b0;
        s11 += a1 * b1;
    }
    c[y * width + x] = s00;
    c[y * width + x + 1] = s01;
    c[(y + 1) * width + x] = s10;
    c[(y + 1) * width + x + 1] = s11;
}
