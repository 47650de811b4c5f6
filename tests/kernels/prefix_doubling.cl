/* SPDX-License-Identifier: MIT */
/* One step of a scan by doubling, from one buffer into another. */
// expect: split
// kernel: prefix_doubling
// arg: buffer int X
// arg: buffer int X
// arg: int 8
// way: 1 own
// reads: 0 known
__kernel void prefix_doubling(__global const int *in, __global int *out, int step)
{
    int i = get_global_id(0);
    out[i] = i >= step ? in[i] + in[i - step] : in[i];
}
