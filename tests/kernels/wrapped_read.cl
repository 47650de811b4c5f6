/* SPDX-License-Identifier: MIT */
/* Reads that wrap around by a remainder. */
// expect: split
// kernel: wrapped_read
// arg: buffer float X
// arg: buffer float X
// arg: int X
// reads: 0 known
__kernel void wrapped_read(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = in[(i + 1) % n] - in[(i + n - 1) % n];
}
