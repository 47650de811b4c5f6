/* SPDX-License-Identifier: MIT */
/* As pairs_stored_twice, but each pair is computed by both of its items, in another order. */
// expect: whole (stores that race)
// kernel: pairs_stored_twice_met
// run: no
// arg: buffer int X
// arg: buffer int X*X
// arg: int X
// reason: stores-race
__kernel void pairs_stored_twice_met(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    for (int j = 0; j < n; j++) {
        out[i * n + j] = in[i] - in[j]; // here
        out[j * n + i] = in[i] - 2 * in[j];
    }
}
