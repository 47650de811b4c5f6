/* SPDX-License-Identifier: MIT */
/* A step of a bitonic sort by exclusive or: an item acts for itself and its partner. */
// arg: buffer int X
// kernel: bitonic_exchange
// arg: int 4
// size: 1024
// local: 64
// expect: split
// way: 0 own
// part: 8..10 writes 0 2048..2560
// part: 8..10 reads 0 2048..2560
__kernel void bitonic_exchange(__global int *data, int distance)
{
    int i = get_global_id(0), j = i ^ distance;
    if (j > i && data[i] > data[j]) {
        int t = data[i];
        data[i] = data[j];
        data[j] = t;
    }
}
