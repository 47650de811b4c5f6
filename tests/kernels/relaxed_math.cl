/* SPDX-License-Identifier: MIT */
/* Relaxed arithmetic by option. */
// expect: split
// kernel: relaxed_math
// options: -cl-fast-relaxed-math -cl-mad-enable
// arg: buffer float X
// arg: buffer float X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__kernel void relaxed_math(__global const float *in, __global float *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * in[i] + sqrt(fabs(in[i])) / 3.0f;
}
