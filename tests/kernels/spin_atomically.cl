/* SPDX-License-Identifier: MIT */
/* A wait on another group by atomics. */
// expect: whole (groups wait for each other)
// kernel: spin_atomically
// run: no
// arg: buffer int G zero
// arg: buffer int X
// offset: no
// note: groups-wait
__kernel void spin_atomically(__global int *done, __global int *out)
{
    size_t g = get_group_id(0);
    if (g > 0)
        while (atomic_add(&done[g - 1], 0) == 0)
            ;
    out[get_global_id(0)] = (int)g;
    if (get_local_id(0) == 0)
        atomic_xchg(&done[g], 1);
}
