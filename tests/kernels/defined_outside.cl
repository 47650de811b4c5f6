/* SPDX-License-Identifier: MIT */
/* Sizes and names that come with the options. */
// expect: split
// kernel: defined_outside
// options: -DDEFINED_OUTSIDE_N=6 -DDEFINED_OUTSIDE_T=short
// arg: buffer short X*6
// way: 0 own
// part: 8..10 writes 0 6144..7680 exact
__kernel void defined_outside(__global DEFINED_OUTSIDE_T *out)
{
    int i = get_global_id(0);
    for (int k = 0; k < DEFINED_OUTSIDE_N; k++)
        out[i * DEFINED_OUTSIDE_N + k] = (DEFINED_OUTSIDE_T)(i ^ k);
}
