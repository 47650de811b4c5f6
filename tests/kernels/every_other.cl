/* SPDX-License-Identifier: MIT */
/* Gaps between the elements written. */
// expect: split
// kernel: every_other
// arg: buffer int X*2
__kernel void every_other(__global int *out)
{
    size_t i = get_global_id(0);
    out[2 * i] = (int)i;
}
