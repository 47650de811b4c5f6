/* SPDX-License-Identifier: MIT */
/* Waits for the group before it, not for ever. */
// expect: whole (groups wait for each other)
// kernel: spin_on_group
// arg: buffer int G zero
// arg: buffer int X
// offset: no
// size: 96
// local: 8
// compare: no 0
// note: groups-wait
__kernel void spin_on_group(__global volatile int *done, __global int *out)
{
    size_t g = get_group_id(0);
    if (g > 0)
        for (int tries = 0; tries < 100 && !done[g - 1]; tries++) // here
            ;
    out[get_global_id(0)] = (int)g;
    if (get_local_id(0) == 0)
        done[g] = 1;
}
