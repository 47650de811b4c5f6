/* SPDX-License-Identifier: MIT */
/* Union-find hooking: writers of one root race, any of them is right. */
// expect: whole (stores that race)
// kernel: hook_parents
// arg: buffer int X below X
// arg: buffer int X order
// compare: no 1
// part: 8..10 reads 0 2048..2560
// writes: 1 unknown
// reads: 1 unknown
// reason: stores-race
__kernel void hook_parents(__global const int *neighbour, __global int *parent)
{
    int i = get_global_id(0), a = parent[i], b = parent[neighbour[i]];
    if (a < b)
        parent[b] = a; // here
    else if (b < a)
        parent[a] = b; // there
}
