/* SPDX-License-Identifier: MIT */
/* One byte of each integer, through a cast to bytes. */
// expect: split
// kernel: stored_as_bytes
// arg: buffer int X
// part: 8..10 writes 0 2050..2559
// way: 0 own
__kernel void stored_as_bytes(__global int *out)
{
    __global uchar *bytes = (__global uchar *)out;
    bytes[4 * get_global_id(0) + 2] = 0xab;
}
