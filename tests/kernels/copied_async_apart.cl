/* SPDX-License-Identifier: MIT */
/* One copy strided over the whole buffer. */
// expect: split
// kernel: copied_async_apart
// local: 16
// offset: no
// arg: buffer int I*4+64
// arg: buffer int I+64
// arg: local int 64
// way: 0 merge 4
// part: 8..10 writes 0 32..1000
// part: 8..10 reads 1 512..640
__kernel void copied_async_apart(__global int *o, __global const int *in, __local int *t)
{
    size_t g = get_group_id(0);
    event_t e = async_work_group_copy(t, in + g * 16, 16, 0);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(o + g, t, 16, get_num_groups(0), 0);
    wait_group_events(1, &e);
}
