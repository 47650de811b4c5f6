/* SPDX-License-Identifier: MIT */
/* A loop in strides of the whole range: what a group writes is spread. */
// expect: any
// kernel: grid_stride
// offset: no
// arg: buffer int X*3
// arg: int X*3
// way: 0 own
// part: 8..10 writes 0 2048..10752 boxed
__kernel void grid_stride(__global int *out, int total)
{
    for (int i = get_global_id(0); i < total; i += (int)get_global_size(0))
        out[i] = i * 17;
}
