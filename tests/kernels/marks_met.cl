/* SPDX-License-Identifier: MIT */
/* Marks for all values that occur: many items write the same value to the same place. */
// expect: split
// kernel: marks_met
// arg: buffer int X below 300
// arg: buffer uchar 300 zero
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// way: 1 merge 1
__kernel void marks_met(__global const int *in, __global uchar *met)
{
    met[in[get_global_id(0)]] = 1;
}
