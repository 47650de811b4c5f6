/* SPDX-License-Identifier: MIT */
/* Seven bytes an item: packages share words. */
// expect: split
// kernel: chars_at_border
// arg: buffer uchar X*7
// way: 0 own
// part: 1..2 writes 0 448..896 exact
__kernel void chars_at_border(__global uchar *out)
{
    size_t i = get_global_id(0);
    for (int j = 0; j < 7; j++)
        out[7 * i + j] = (uchar)(i + j);
}
