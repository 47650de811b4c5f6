/* SPDX-License-Identifier: MIT */
/* A permutation of vectors of 16 bytes. */
// expect: split
// kernel: scatter_vectors
// arg: buffer float4 X
// arg: buffer int X order
// arg: buffer float4 X
// part: 8..10 reads 0 8192..10240
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 4
__kernel void scatter_vectors(__global const float4 *in, __global const int *index, __global float4 *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i].zwxy;
}
