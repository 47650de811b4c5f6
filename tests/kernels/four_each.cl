/* SPDX-License-Identifier: MIT */
/* A loop over four elements of its own. */
// expect: split
// kernel: four_each
// arg: buffer int X*4
// arg: buffer int X*4
// part: 8..10 reads 0 8192..10240
// way: 1 own
// part: 8..10 writes 1 8192..10240 exact
__kernel void four_each(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    for (int j = 0; j < 4; j++)
        out[4 * i + j] = in[4 * i + 3 - j];
}
