/* SPDX-License-Identifier: MIT */
/* A loop over four elements of its own. */
// expect: split
// kernel: four_each
// arg: buffer int X*4
// arg: buffer int X*4
__kernel void four_each(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    for (int j = 0; j < 4; j++)
        out[4 * i + j] = in[4 * i + 3 - j];
}
