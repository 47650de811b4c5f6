/* SPDX-License-Identifier: MIT */
/* As stores_by_bits, but for a factor: two stores reach the same places from different items. */
// expect: whole (stores that race)
// kernel: stores_by_bits_met
// run: no
// arg: buffer int X
// arg: buffer int X*2+32768
// reason: stores-race
__kernel void stores_by_bits_met(__global const int *in, __global int *out)
{
    uint i = get_global_id(0), item = i % 4, at = i / 4;
    size_t to = (at / 4096) * 32768 + at % 4096;
    out[to + (2 * item) * 4096] = in[i]; // here
    out[to + (item + 1) * 4096] = ~in[i];
}
