/* SPDX-License-Identifier: MIT */
/* Of a group's items that find something one claims the group's place, by compare and exchange. */
// expect: split
// kernel: claimed_once
// offset: no
// arg: buffer uint X below 4
// arg: buffer uint X zero
// arg: buffer uint X
// compare: no 2
// note: atomic-order
// way: 1 own
// part: 8..10 writes 1 512..640
// part: 8..10 writes 2 2048..2548
__kernel void claimed_once(__global const uint *in, __global uint *claims, __global uint *found)
{
    size_t i = get_global_id(0), place = i / 4;
    if (in[i] == 3 && atomic_cmpxchg(&claims[place], 0, 1) == 0) // here
        found[place * 4] = in[i] + 1;
}
