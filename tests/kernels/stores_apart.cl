/* SPDX-License-Identifier: MIT */
/* One store at places that are not known, all below those of the other one. */
// expect: split
// kernel: stores_apart
// arg: buffer int X
// arg: buffer int X
// arg: buffer int X+64
// way: 2 merge 4
// compare: no 2
__kernel void stores_apart(__global const int *in, __global const int *index, __global int *out)
{
    int i = get_global_id(0);
    out[index[i] & 63] = in[i];
    out[64 + i] = in[i] * 3;
}
