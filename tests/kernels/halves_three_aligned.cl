/* SPDX-License-Identifier: MIT */
/* Three halves in the room of four: drivers differ in what becomes of the fourth. */
// expect: split
// kernel: halves_three_aligned
// arg: buffer float X*3
// arg: buffer short X*4
// compare: no 1
// part: 8..10 reads 0 6144..7680
// part: 8..10 writes 1 4096..5118
// way: 1 own
__kernel void halves_three_aligned(__global const float *in, __global half *out)
{
    size_t i = get_global_id(0);
    vstorea_half3(vload3(i, in), i, out);
}
