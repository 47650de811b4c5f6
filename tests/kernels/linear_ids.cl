/* SPDX-License-Identifier: MIT */
/* Linear ids of OpenCL 2.0, in two dimensions. */
// expect: split
// kernel: linear_ids
// run: no
// dims: 2
// options: -cl-std=CL2.0
// arg: buffer int I
// part: 4..6 writes 0 4096..6144 exact
// way: 0 own
// cut: 1
__kernel void linear_ids(__global int *out)
{
    out[get_global_linear_id()] = (int)get_local_linear_id() + (int)get_enqueued_local_size(0);
}
