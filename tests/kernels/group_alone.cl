/* SPDX-License-Identifier: MIT */
/* Nothing to share out. */
// expect: whole (one work-group)
// kernel: group_alone
// local: 64
// size: 64
// arg: buffer int X
// reason: one-group
__kernel void group_alone(__global int *out)
{
    out[get_global_id(0)] = (int)get_local_id(0) + 5;
}
