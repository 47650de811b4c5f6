/* SPDX-License-Identifier: MIT */
/* Division of negative numbers rounds to zero. */
// expect: split
// kernel: index_divided
// llvm: 16
// arg: buffer int X*2+64
// way: 0 merge 4
// part: 8..10 writes 0 0..4044
__kernel void index_divided(__global int *o)
{
    int i = (int)get_global_id(0) - 33;
    int q = i / 4, r = i % 4;
    if (r == 0)
        o[q + 20] = i;
}
