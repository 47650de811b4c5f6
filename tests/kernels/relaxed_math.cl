/* SPDX-License-Identifier: MIT */
/* Relaxed arithmetic by option. */
// expect: split
// kernel: relaxed_math
// options: -cl-fast-relaxed-math -cl-mad-enable
// arg: buffer float X
// arg: buffer float X
__kernel void relaxed_math(__global const float *in, __global float *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * in[i] + sqrt(fabs(in[i])) / 3.0f;
}
