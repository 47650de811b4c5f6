/* SPDX-License-Identifier: MIT */
/* One item a row: a running sum over 37 columns. */
// expect: split
// kernel: whole_rows
// arg: buffer float X*37
// arg: buffer float X*37
// part: 8..10 reads 0 75776..94720
// way: 1 own
// part: 8..10 writes 1 75776..94720 exact
__kernel void whole_rows(__global const float *in, __global float *out)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int c = 0; c < 37; c++) {
        sum += in[row * 37 + c];
        out[row * 37 + c] = sum;
    }
}
