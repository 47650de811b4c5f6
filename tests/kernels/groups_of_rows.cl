/* SPDX-License-Identifier: MIT */
/* A group a row, by group number and local number alone. */
// expect: split
// kernel: groups_of_rows
// local: 16
// arg: buffer int G*40
// arg: int 40
// offset: no
// part: 1..3 writes 0 160..480 exact
__kernel void groups_of_rows(__global int *out, int width)
{
    for (int x = get_local_id(0); x < width; x += (int)get_local_size(0))
        out[get_group_id(0) * width + x] = x;
}
