/* SPDX-License-Identifier: MIT */
/* Global memory exchanged within a group behind a fence. */
// expect: split
// kernel: fenced_group
// local: 8
// arg: buffer int X
// arg: buffer int X
// part: 8..10 writes 0 256..320 exact
// part: 8..10 reads 0 256..320
// way: 1 own
// part: 8..10 writes 1 256..320 exact
// way: 0 own
__kernel void fenced_group(__global int *room, __global int *out)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    room[i] = (int)i * 3;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = room[i - l + (l + 1) % 8];
}
