/* SPDX-License-Identifier: MIT */
/* A strided asynchronous copy to memory: the rest of each row keeps what it held. */
// expect: split
// kernel: copied_async_back
// local: 16
// arg: buffer int X
// arg: buffer int X*3
// offset: no
// part: 8..10 reads 0 512..640
// way: 1 own
// part: 8..10 writes 1 1536..1912
__kernel void copied_async_back(__global const int *in, __global int *out)
{
    __local int room[16];
    room[get_local_id(0)] = in[get_global_id(0)] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out + get_group_id(0) * 48, room, 16, 3, 0);
    wait_group_events(1, &e);
}
