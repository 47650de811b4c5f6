/* SPDX-License-Identifier: MIT */
/* Offsets in a constant table at program scope. */
// arg: buffer int X+10
// kernel: constant_offsets
// arg: buffer int X
// expect: split
// part: 8..10 reads 0 2048..2596
// way: 1 own
// part: 8..10 writes 1 2048..2560 exact
__constant int constant_offsets_table[5] = {0, 3, 1, 9, 4};
__kernel void constant_offsets(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < 5; k++)
        sum += in[i + constant_offsets_table[k]];
    out[i] = sum;
}
