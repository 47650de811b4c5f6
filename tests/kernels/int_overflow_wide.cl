/* SPDX-License-Identifier: MIT */
/* The same sum in 64 bits after it wrapped in 32. */
// expect: any
// kernel: int_overflow_wide
// arg: buffer int X+10
// arg: uint 4294967286
// size: 640
// local: 32
// way: 0 merge 4
// writes: 0 unknown
__kernel void int_overflow_wide(__global int *out, uint big)
{
    size_t i = (uint)((uint)get_global_id(0) + big); /* the first ten are near 2^32 */
    if (i < get_global_size(0))
        out[i] = 11;
}
