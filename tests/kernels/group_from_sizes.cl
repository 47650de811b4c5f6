/* SPDX-License-Identifier: MIT */
/* The index rebuilt from group number, local size and local number. */
// expect: split
// kernel: group_from_sizes
// arg: buffer int W
// part: 1..2 writes 0 256..512 exact
__kernel void group_from_sizes(__global int *out)
{
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    out[i] = (int)(i + get_global_offset(0));
}
