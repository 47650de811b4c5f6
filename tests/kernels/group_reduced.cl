/* SPDX-License-Identifier: MIT */
/* A reduction by a built-in of OpenCL 2.0. */
// expect: split
// kernel: group_reduced
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X
// arg: buffer int G
// part: 8..10 reads 0 2048..2560
// part: 8..10 writes 1 32..40 exact
// way: 1 own
__kernel void group_reduced(__global const int *in, __global int *out)
{
    int sum = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}
