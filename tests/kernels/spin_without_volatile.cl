/* SPDX-License-Identifier: MIT */
/* A wait on another group by a plain load, which no compiler need repeat. */
// expect: any
// kernel: spin_without_volatile
// arg: buffer int G zero
// arg: buffer int X
// offset: no
// size: 96
// local: 8
// compare: no 0
// way: 0 own
// part: 6..8 writes 0 24..32 exact
// part: 6..8 reads 0 20..28
// part: 6..8 writes 1 192..256 exact
// way: 1 own
__kernel void spin_without_volatile(__global int *done, __global int *out)
{
    size_t g = get_group_id(0);
    if (g > 0)
        for (int tries = 0; tries < 100 && !done[g - 1]; tries++)
            ;
    out[get_global_id(0)] = (int)g;
    if (get_local_id(0) == 0)
        done[g] = 1;
}
