/* SPDX-License-Identifier: MIT */
/* A permutation of bytes: packages write beside each other within every word. */
// expect: split
// kernel: scatter_bytes
// arg: buffer uchar X
// arg: buffer int X order
// arg: buffer uchar X
// way: 2 merge 1
// before: 2
// reads: 0 known
__kernel void scatter_bytes(__global const uchar *in, __global const int *index, __global uchar *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i] + 1;
}
