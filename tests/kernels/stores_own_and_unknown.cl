/* SPDX-License-Identifier: MIT */
/* One place by an index from memory, one of the item's own: groups may meet. */
// expect: whole (stores that race)
// kernel: stores_own_and_unknown
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X
// compare: no 2
// reason: stores-race
__kernel void stores_own_and_unknown(__global const int *in, __global const int *index, __global int *out)
{
    int i = get_global_id(0);
    out[i] = -1; // here
    out[index[i]] = in[i]; // there
}
