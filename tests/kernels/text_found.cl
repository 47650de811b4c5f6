/* SPDX-License-Identifier: MIT */
/* Places of a word in a text, one flag each. */
// expect: split
// kernel: text_found
// arg: buffer uchar X+3 below 3
// arg: buffer uchar 3 below 3
// arg: buffer uchar X
// part: 8..10 reads 0 512..642
// part: 8..10 reads 1 0..3
// way: 2 own
// part: 8..10 writes 2 512..640 exact
__kernel void text_found(__global const uchar *text, __constant uchar *word, __global uchar *found)
{
    size_t i = get_global_id(0);
    uchar same = 1;
    for (int k = 0; k < 3 && same; k++)
        same = text[i + k] == word[k];
    found[i] = same;
}
