/* SPDX-License-Identifier: MIT */
/* One item a row: a running sum over 37 columns. */
// expect: split
// kernel: whole_rows
// arg: buffer float X*37
// arg: buffer float X*37
__kernel void whole_rows(__global const float *in, __global float *out)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int c = 0; c < 37; c++) {
        sum += in[row * 37 + c];
        out[row * 37 + c] = sum;
    }
}
