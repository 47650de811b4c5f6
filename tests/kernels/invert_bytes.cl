/* SPDX-License-Identifier: MIT */
/* Single bytes: borders at any address. */
// expect: split
// kernel: invert_bytes
// arg: buffer uchar X
// arg: buffer uchar X
// part: 8..10 reads 0 512..640
// way: 1 own
// part: 8..10 writes 1 512..640 exact
__kernel void invert_bytes(__global const uchar *in, __global uchar *out)
{
    out[get_global_id(0)] = 255 - in[get_global_id(0)];
}
