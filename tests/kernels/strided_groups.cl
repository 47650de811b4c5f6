/* SPDX-License-Identifier: MIT */
/* A loop in strides of the whole range that goes round once. */
// expect: any
// kernel: strided_groups
// offset: no
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
__kernel void strided_groups(__global int *out)
{
    size_t n = get_global_size(0);
    for (size_t i = get_global_id(0); i < n; i += n)
        out[i] = (int)(i * 11);
}
