/* SPDX-License-Identifier: MIT */
/* A step of a bitonic sort: partners in one item's hands. */
// arg: buffer int X*2
// kernel: bitonic_step
// size: 512
// local: 16
// expect: split
// way: 0 own
// part: 16..18 writes 0 2048..2304
// part: 16..18 reads 0 2048..2304
__kernel void bitonic_step(__global int *data)
{
    uint i = get_global_id(0), low = i & 3, at = ((i - low) << 1) + low;
    int a = data[at], b = data[at + 4];
    bool up = ((i >> 5) & 1) == 0;
    if ((a > b) == up) {
        data[at] = b;
        data[at + 4] = a;
    }
}
