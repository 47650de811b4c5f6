/* SPDX-License-Identifier: MIT */
/* A strided asynchronous copy: a column of a matrix. */
// expect: split
// kernel: copied_async_strided
// local: 16
// arg: buffer int X*5
// arg: buffer int X
// offset: no
// part: 8..10 reads 0 2568..3192
// way: 1 own
// part: 8..10 writes 1 512..640 exact
__kernel void copied_async_strided(__global const int *in, __global int *out)
{
    __local int room[16];
    event_t e = async_work_group_strided_copy(room, in + get_group_id(0) * 80 + 2, 16, 5, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = room[15 - get_local_id(0)];
}
