/* SPDX-License-Identifier: MIT */
/* size_t against int: a comparison that is unsigned. */
// expect: split
// kernel: signed_unsigned
// arg: buffer int X
// arg: int 3
// part: 8..10 writes 0 2048..2560
// way: 0 own
__kernel void signed_unsigned(__global int *out, int back)
{
    size_t i = get_global_id(0);
    if (i - back < get_global_size(0) + get_global_offset(0)) /* wraps for the first three */
        out[i] = 1;
    else
        out[i] = 2;
}
