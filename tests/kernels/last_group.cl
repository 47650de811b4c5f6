/* SPDX-License-Identifier: MIT */
/* The last group to arrive does the rest: the result of an atomic orders the groups. */
// expect: whole (the result of an atomic is used)
// kernel: last_group
// arg: buffer int X
// arg: buffer int G
// arg: buffer uint 1 zero
// arg: buffer int 1
// offset: no
// size: 256
// local: 16
// reason: atomic-result-used
// compare: no 2
__kernel void last_group(__global const int *in, __global int *parts, __global uint *arrived, __global int *sum)
{
    __local uint turn;
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = in[get_group_id(0)];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        turn = atomic_inc(arrived); // here
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (turn % get_num_groups(0) == get_num_groups(0) - 1 && get_local_id(0) == 0) {
        int all = 0;
        for (uint i = 0; i < get_num_groups(0); i++)
            all += parts[i];
        *sum = all;
    }
}
