/* SPDX-License-Identifier: MIT */
/* Two buffers at unknown places, one of them bytes; a third adds up. */
// expect: split
// kernel: merged_two_buffers
// arg: buffer int X order
// arg: buffer uchar X
// arg: buffer long X
// arg: buffer int 4 zero
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// writes: 2 unknown
// part: 8..10 writes 3 0..16
// part: 8..10 reads 3 0..16
// way: 1 merge 1
// way: 2 merge 8
// way: 3 private add 4
__kernel void merged_two_buffers(__global const int *index, __global uchar *small, __global long *large,
                                 __global int *sums)
{
    size_t i = get_global_id(0);
    int at = index[i];
    small[at] = (uchar)(i * 5);
    large[at] = (long)i << 33;
    atomic_add(&sums[at & 3], at);
}
