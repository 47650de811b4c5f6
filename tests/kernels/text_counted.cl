/* SPDX-License-Identifier: MIT */
/* Words in a text counted, one counter. */
// expect: split
// kernel: text_counted
// arg: buffer uchar X+1 below 4
// arg: buffer int 1 zero
// part: 8..10 reads 0 512..641
// part: 8..10 writes 1 0..4
// part: 8..10 reads 1 0..4
// way: 1 private add 4
__kernel void text_counted(__global const uchar *text, __global int *words)
{
    size_t i = get_global_id(0);
    if (text[i] == 0 && text[i + 1] != 0)
        atomic_inc(words);
}
