/* SPDX-License-Identifier: MIT */
/* Gaps between the elements written. */
// expect: split
// kernel: every_other
// arg: buffer int X*2
// way: 0 own
// part: 8..10 writes 0 4096..5116
__kernel void every_other(__global int *out)
{
    size_t i = get_global_id(0);
    out[2 * i] = (int)i;
}
