/* SPDX-License-Identifier: MIT */
/* A required work-group size in two dimensions. */
// expect: split
// kernel: required_size
// dims: 2
// local: 8,2
// arg: buffer int X*Y
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 2048..3072 exact
__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void required_size(__global int *out, int width)
{
    out[get_global_id(1) * width + get_global_id(0)] = (int)(get_local_id(0) + 10 * get_local_id(1));
}
