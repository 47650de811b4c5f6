/* SPDX-License-Identifier: MIT */
/* Fields of structs, and halves of pairs that two indices lead to: no two stores meet. */
// expect: split
// kernel: stores_of_fields
// arg: buffer int X order
// arg: buffer int X
// arg: buffer int X*3
// arg: buffer int X*2
// way: 2 merge 4
// way: 3 merge 4
struct stores_of_fields_point {
    int x, y, z;
};
__kernel void stores_of_fields(__global const int *index, __global const int *in,
                               __global struct stores_of_fields_point *point, __global int *pair)
{
    int i = get_global_id(0), n = get_global_size(0) + get_global_offset(0);
    point[index[i]].x = in[i];
    if (in[i] > 7)
        point[index[i]].z = -in[i];
    pair[2 * index[i]] = in[i] + 1;
    pair[2 * index[n - 1 - i] + 1] = in[i] + 2;
}
