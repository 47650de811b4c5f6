/* SPDX-License-Identifier: MIT */
/* Only even groups write. */
// expect: split
// kernel: half_of_groups
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 2048..2560
__kernel void half_of_groups(__global int *out)
{
    if (get_group_id(0) % 2 == 0)
        out[get_global_id(0)] = -1;
}
