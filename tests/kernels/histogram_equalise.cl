/* SPDX-License-Identifier: MIT */
/* Bytes through a table made from a histogram. */
// expect: split
// kernel: histogram_equalise
// arg: buffer uchar X
// arg: buffer uint 256
// arg: buffer uchar X
__kernel void histogram_equalise(__global const uchar *in, __global const uint *sums, __global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = (uchar)(sums[in[i]] >> 24);
}
