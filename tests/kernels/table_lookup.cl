/* SPDX-License-Identifier: MIT */
/* Constant memory, as argument and at program scope. */
// expect: split
// kernel: table_lookup
// arg: buffer uchar X
// arg: buffer uchar 256
// arg: buffer uchar X
// part: 8..10 reads 0 512..640
// part: 8..10 reads 1 0..256
// way: 2 own
// part: 8..10 writes 2 512..640 exact
__constant uchar low_bits[4] = {3, 1, 2, 0};
__kernel void table_lookup(__global const uchar *in, __constant uchar *table, __global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = table[in[i]] ^ low_bits[in[i] & 3];
}
