/* SPDX-License-Identifier: MIT */
/* Ids and sizes asked for three helpers deep, in two dimensions. */
// expect: split
// kernel: ids_in_helpers
// dims: 2
// arg: buffer uint X*Y
// arg: int X
// cut: 1 by 1
// way: 0 own
// part: 4..6 writes 0 4096..6144 exact
uint ids_in_helpers_groups(uint d)
{
    return get_group_id(d) + 100 * get_num_groups(d);
}
uint ids_in_helpers_both(void)
{
    return ids_in_helpers_groups(0) * 7 + ids_in_helpers_groups(1);
}
size_t ids_in_helpers_place(int width)
{
    return get_global_id(1) * width + get_global_id(0);
}
__kernel void ids_in_helpers(__global uint *out, int width)
{
    out[ids_in_helpers_place(width)] = ids_in_helpers_both() + (uint)get_global_size(1);
}
