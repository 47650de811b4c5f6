/* SPDX-License-Identifier: MIT */
/* Nothing but another group's store ends the loop, though no compiler need look again. */
// expect: whole (groups wait for each other)
// kernel: groups_wait_plainly
// run: no
// arg: buffer int G zero
// arg: buffer int X
// offset: no
// note: groups-wait
__kernel void groups_wait_plainly(__global int *done, __global int *out)
{
    size_t g = get_group_id(0);
    if (g > 0)
        while (!done[g - 1]) // here
            ;
    out[get_global_id(0)] = (int)g;
    if (get_local_id(0) == 0)
        done[g] = 1;
}
