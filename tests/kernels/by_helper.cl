/* SPDX-License-Identifier: MIT */
/* Work-item functions in helper functions. */
// expect: split
// kernel: by_helper
// offset: no
// arg: buffer uint X
// way: 0 own
// part: 8..10 writes 0 2048..2560 exact
uint place(uint base)
{
    return base + get_group_id(0) * get_local_size(0) + get_local_id(0);
}
uint what(void)
{
    return get_group_id(0) * 10 + get_num_groups(0);
}
__kernel void by_helper(__global uint *out)
{
    out[place(0)] = what();
}
