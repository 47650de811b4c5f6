/* SPDX-License-Identifier: MIT */
/* Set bits of each word. */
// expect: split
// kernel: bits_counted
// arg: buffer uint X
// arg: buffer uchar X
// part: 8..10 reads 0 2048..2560
// way: 1 own
// part: 8..10 writes 1 512..640 exact
__kernel void bits_counted(__global const uint *in, __global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = (uchar)popcount(in[i]);
}
