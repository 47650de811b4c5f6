/* SPDX-License-Identifier: MIT */
/* Reads of a table by masked index: its first 64 entries alone. */
// expect: split
// kernel: masked_read
// arg: buffer int X
// arg: buffer int 200
// arg: buffer int X
// part: 3..5 reads 1 0..256
__kernel void masked_read(__global const int *in, __global const int *table, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = table[in[i] & 63];
}
