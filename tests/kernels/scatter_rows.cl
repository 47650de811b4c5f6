/* SPDX-License-Identifier: MIT */
/* Rows of twelve at unknown places. */
// expect: split
// kernel: scatter_rows
// arg: buffer int X*12
// arg: buffer int X order
// arg: buffer int X*12
// part: 8..10 reads 0 24576..30720
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 4
__kernel void scatter_rows(__global const int *in, __global const int *row, __global int *out)
{
    size_t i = get_global_id(0);
    for (int j = 0; j < 12; j++)
        out[row[i] * 12 + j] = in[i * 12 + j] + j;
}
