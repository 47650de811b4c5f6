/* SPDX-License-Identifier: MIT */
/* A search for a key: the one that fits is noted, and there is at most one. */
// expect: split
// kernel: keys_tried
// arg: buffer uint 2 zero
// arg: uint 3735928559
// part: 8..10 writes 0 0..8
// way: 0 merge 4
__kernel void keys_tried(__global uint *found, uint wanted)
{
    uint key = get_global_id(0), h = key * 0x9e3779b1u;
    h ^= h >> 15;
    if (h == wanted) {
        found[0] = key;
        found[1] = 1;
    }
}
