/* SPDX-License-Identifier: MIT */
/* Sixteen bytes at once, shuffled. */
// expect: split
// kernel: vectors_sixteen
// arg: buffer uchar16 X
// arg: buffer uchar16 X
// part: 8..10 reads 0 8192..10240
// way: 1 own
// part: 8..10 writes 1 8192..10240 exact
__kernel void vectors_sixteen(__global const uchar16 *in, __global uchar16 *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i].s0213465789bcdefa;
}
