/* SPDX-License-Identifier: MIT */
/* Rows by shift, columns by mask. */
// expect: split
// kernel: shifted_rows
// arg: buffer int X
// size: 1024
// local: 32
// way: 0 own
// part: 16..18 writes 0 2048..2304 exact
__kernel void shifted_rows(__global int *out)
{
    uint i = get_global_id(0);
    out[(i >> 5 << 5) + (i & 31)] = (int)i;
}
