/* SPDX-License-Identifier: MIT */
/* A barrier of all work-groups, as many as the device has units: each counts itself and waits for the rest. */
// expect: whole (groups wait for each other)
// kernel: groups_meet
// run: no
// arg: buffer int 1 zero
// arg: buffer int X
// arg: int 4
// offset: no
// note: groups-wait
__kernel void groups_meet(volatile __global int *met, __global int *out, int rounds)
{
    int n = get_num_groups(0);
    for (int r = 1; r <= rounds; r++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
            atomic_inc(met);
            while (atomic_add(met, 0) < r * n) // here
                ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[get_global_id(0)] = get_group_id(0);
}
