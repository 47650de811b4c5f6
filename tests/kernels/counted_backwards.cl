/* SPDX-License-Identifier: MIT */
/* A loop with a negative stride. */
// expect: split
// kernel: counted_backwards
// arg: buffer int X*10
// arg: int 10
// way: 0 own
// part: 4..8 writes 0 10240..20480 exact
__kernel void counted_backwards(__global int *out, int n)
{
    int row = get_global_id(0);
    for (int j = n - 1; j >= 0; j--)
        out[row * n + j] = j - row;
}
