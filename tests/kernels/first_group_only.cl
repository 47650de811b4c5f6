/* SPDX-License-Identifier: MIT */
/* Only the first group writes. */
// expect: split
// kernel: first_group_only
// arg: buffer int X
// way: 0 own
__kernel void first_group_only(__global int *out)
{
    if (get_group_id(0) == 0)
        out[get_local_id(0)] = (int)get_num_groups(0);
}
