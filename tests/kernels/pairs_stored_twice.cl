/* SPDX-License-Identifier: MIT */
/* What an item computes of each pair is stored in its row and in its column: nobody else stores there. */
// expect: split
// kernel: pairs_stored_twice
// size: 128
// local: 8
// arg: buffer int X
// arg: buffer int X*X
// arg: int X
// way: 1 merge 4
__kernel void pairs_stored_twice(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    for (int j = i; j < n; j++) {
        out[i * n + j] = 0;
        for (int k = 0; k < 3; k++)
            out[i * n + j] += in[(i + k) % n] * in[(j + k) % n];
        out[j * n + i] = out[i * n + j];
    }
}
