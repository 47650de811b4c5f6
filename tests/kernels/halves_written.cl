/* SPDX-License-Identifier: MIT */
/* Half precision into memory by vstore_half. */
// expect: split
// kernel: halves_written
// arg: buffer float X
// arg: buffer short X
// part: 1..2 writes 1 128..256 exact
__kernel void halves_written(__global const float *in, __global half *out)
{
    size_t i = get_global_id(0);
    vstore_half(in[i] * 2.0f, i, out);
}
