/* SPDX-License-Identifier: MIT */
/* Bytes through a table made from a histogram. */
// expect: split
// kernel: histogram_equalise
// arg: buffer uchar X
// arg: buffer uint 256
// arg: buffer uchar X
// part: 8..10 reads 0 512..640
// part: 8..10 reads 1 0..1024
// way: 2 own
// part: 8..10 writes 2 512..640 exact
__kernel void histogram_equalise(__global const uchar *in, __global const uint *sums, __global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = (uchar)(sums[in[i]] >> 24);
}
