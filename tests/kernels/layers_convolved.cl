/* SPDX-License-Identifier: MIT */
/* A convolution over channels: planes in, planes out. */
// expect: split
// kernel: layers_convolved
// dims: 3
// arg: buffer float 2*X*Y
// arg: buffer float Z*2*9
// arg: buffer float X*Y*Z
// arg: int X
// arg: int Y
// cut: 2 by 1
// part: 2..4 reads 0 0..1024
// part: 2..4 reads 1 288..576
// way: 2 own
// part: 2..4 writes 2 2048..4096 exact
__kernel void layers_convolved(__global const float *in, __global const float *weight, __global float *out, int width,
                               int height)
{
    int x = get_global_id(0), y = get_global_id(1), to = get_global_id(2);
    float sum = 0.0f;
    for (int from = 0; from < 2; from++)
        for (int k = 0; k < 9; k++) {
            int xx = x + k % 3 - 1, yy = y + k / 3 - 1;
            if (xx >= 0 && yy >= 0 && xx < width && yy < height)
                sum += weight[(to * 2 + from) * 9 + k] * in[(from * height + yy) * width + xx];
        }
    out[(to * height + y) * width + x] = fmax(sum, 0.0f);
}
