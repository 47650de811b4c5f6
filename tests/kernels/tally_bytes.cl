/* SPDX-License-Identifier: MIT */
/* A histogram of bytes. */
// expect: split
// kernel: tally_bytes
// arg: buffer uchar X
// arg: buffer uint 256
// way: 1 private add 4
// way: 0 none
// reads: 0 known
__kernel void tally_bytes(__global const uchar *in, volatile __global uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)]]);
}
