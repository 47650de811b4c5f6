/* SPDX-License-Identifier: MIT */
/* A narrow index that wraps: two packages may write one element, the same value. */
// expect: any
// kernel: uchar_counter
// arg: buffer uchar 256
// way: 0 merge 1
// part: 8..10 writes 0 0..256
__kernel void uchar_counter(__global uchar *out)
{
    uchar i = (uchar)get_global_id(0);
    out[i] = i ^ 0x55;
}
