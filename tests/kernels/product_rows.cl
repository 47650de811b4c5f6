/* SPDX-License-Identifier: MIT */
/* A matrix product, one row an item. */
// expect: split
// kernel: product_rows
// arg: buffer float X*16
// arg: buffer float 16*12
// arg: buffer float X*12
// part: 1..2 reads 0 4096..8192
// part: 1..2 writes 2 3072..6144 exact
__kernel void product_rows(__global const float *a, __global const float *b, __global float *c)
{
    int row = get_global_id(0);
    for (int x = 0; x < 12; x++) {
        float sum = 0.0f;
        for (int k = 0; k < 16; k++)
            sum += a[row * 16 + k] * b[k * 12 + x];
        c[row * 12 + x] = sum;
    }
}
