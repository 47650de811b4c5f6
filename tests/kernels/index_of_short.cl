/* SPDX-License-Identifier: MIT */
/* Places that a short wraps round to. */
// expect: split
// kernel: index_of_short
// arg: buffer int 65536 zero
// way: 0 merge 4
// part: 8..10 writes 0 0..262144
__kernel void index_of_short(__global int *o)
{
    int i = get_global_id(0);
    short s = (short)(i * 301);
    o[s + 32768] = i;
}
