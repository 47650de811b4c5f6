/* SPDX-License-Identifier: MIT */
/* A narrow index that wraps: two packages may write one element, the same value. */
// expect: any
// kernel: uchar_counter
// arg: buffer uchar 256
__kernel void uchar_counter(__global uchar *out)
{
    uchar i = (uchar)get_global_id(0);
    out[i] = i ^ 0x55;
}
