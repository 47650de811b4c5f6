/* SPDX-License-Identifier: MIT */
/* A 32-bit product that wraps: items far apart meet, with the same value. */
// expect: split
// kernel: int_overflow
// arg: buffer int 65536
// size: 4096
// local: 64
// part: 32..34 writes 0 0..261124
// way: 0 merge 4
__kernel void int_overflow(__global int *out)
{
    uint i = get_global_id(0);
    uint at = (i * 0x01000001u) >> 16; /* wraps from i = 256 on */
    out[at & 0xff00u] = 3;
}
