/* SPDX-License-Identifier: MIT */
/* Copies in a loop that counts down. */
// expect: any
// kernel: copied_async_loop
// local: 16
// offset: no
// arg: buffer int I*4+64
// arg: buffer int I*4+64
// arg: local int 16
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
// part: 8..10 reads 1 2048..2560
__kernel void copied_async_loop(__global int *o, __global const int *in, __local int *t)
{
    size_t g = get_group_id(0);
    for (int k = 3; k >= 0; k--) {
        event_t e = async_work_group_copy(t, in + (g * 4 + k) * 16, 16, 0);
        wait_group_events(1, &e);
        t[get_local_id(0)] += k;
        barrier(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_copy(o + (g * 4 + 3 - k) * 16, t, 16, 0);
        wait_group_events(1, &e);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
