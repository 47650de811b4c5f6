/* SPDX-License-Identifier: MIT */
/* Three halves in the room of four: drivers differ in what becomes of the fourth. */
// expect: split
// kernel: halves_three_aligned
// arg: buffer float X*3
// arg: buffer short X*4
// compare: no 1
// way: 1 own
__kernel void halves_three_aligned(__global const float *in, __global half *out)
{
    size_t i = get_global_id(0);
    vstorea_half3(vload3(i, in), i, out);
}
