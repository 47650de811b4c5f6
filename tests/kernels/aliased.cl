/* SPDX-License-Identifier: MIT */
/* One buffer as two arguments; each item reads only what it writes. */
// expect: split
// kernel: aliased
// arg: buffer int X
// arg: same 0
__kernel void aliased(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + 5;
}
