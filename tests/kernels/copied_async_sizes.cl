/* SPDX-License-Identifier: MIT */
/* Copies of computed sizes. */
// expect: split
// kernel: copied_async_sizes
// local: 16
// offset: no
// arg: buffer int I*2+64
// arg: buffer int I*2+64
// arg: local int 64
// arg: int 20
// way: 0 own
// part: 8..10 writes 0 640..800
// part: 8..10 reads 1 640..800
__kernel void copied_async_sizes(__global int *o, __global const int *in, __local int *t, int n)
{
    size_t g = get_group_id(0);
    int m = n - (int)(g & 3) * 5;
    event_t e = async_work_group_copy(t, in + g * 20, m, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(o + g * 20, t, m, 0);
    wait_group_events(1, &e);
}
