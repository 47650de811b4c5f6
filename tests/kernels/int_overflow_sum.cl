/* SPDX-License-Identifier: MIT */
/* An index that wraps around 2^32 on its way. */
// expect: split
// kernel: int_overflow_sum
// arg: buffer int X
// arg: uint 4294967290
// size: 640
// local: 32
// way: 0 own
// part: 10..12 writes 0 1280..1536 exact
__kernel void int_overflow_sum(__global int *out, uint big)
{
    uint i = (uint)get_global_id(0) + big;
    out[i + 6] = (int)i; /* back in range by the same wrap */
}
