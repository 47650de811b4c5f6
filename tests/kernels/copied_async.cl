/* SPDX-License-Identifier: MIT */
/* A group copies its part to local memory and back, both at once. */
// expect: split
// kernel: copied_async
// local: 16
// arg: buffer float X
// arg: buffer float X
// offset: no
// part: 1..2 writes 1 64..128 exact
__kernel void copied_async(__global const float *in, __global float *out)
{
    __local float room[16];
    size_t first = get_group_id(0) * 16;
    event_t e = async_work_group_copy(room, in + first, 16, 0);
    wait_group_events(1, &e);
    room[get_local_id(0)] *= 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + first, room, 16, 0);
    wait_group_events(1, &e);
}
