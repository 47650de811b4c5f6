/* SPDX-License-Identifier: MIT */
/* The upper half of a product. */
// expect: split
// kernel: index_high_product
// arg: buffer int X+4
// way: 0 merge 4
// writes: 0 unknown
__kernel void index_high_product(__global int *o)
{
    uint i = get_global_id(0);
    uint h = mul_hi(i, 0x80000000u);
    if ((i & 1) == 0)
        o[h] = (int)i;
}
