/* SPDX-License-Identifier: MIT */
/* Pointers moved along in a loop whose length is an argument. */
// expect: split
// kernel: rows_of_n
// arg: buffer float X*19
// arg: buffer float X*19
// arg: int 19
// part: 8..10 reads 0 38912..48640
// way: 1 own
// part: 8..10 writes 1 38912..48640 exact
__kernel void rows_of_n(__global const float *in, __global float *out, int n)
{
    __global const float *from = in + get_global_id(0) * n;
    __global float *to = out + get_global_id(0) * n;
    for (int c = 0; c < n; c++)
        *to++ = from[n - 1 - c];
}
