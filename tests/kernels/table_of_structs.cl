/* SPDX-License-Identifier: MIT */
/* Places from a table of structs with padding. */
// expect: split
// kernel: table_of_structs
// arg: buffer int X*8+8
// arg: buffer int X*8+8
// way: 0 merge 4
// writes: 0 unknown
struct table_of_structs_st {
    char a;
    int b;
    short c[2];
};
__constant struct table_of_structs_st table_of_structs_stt[3] = {
    {1, 2, {3, 4}}, {5, 6, {7, 0}}, {2, 1, {0, 5}}};
__kernel void table_of_structs(__global int *o, __global int *p)
{
    int i = get_global_id(0);
    o[i * 8 + table_of_structs_stt[i % 3].c[i & 1]] = i;
    p[i * 8 + table_of_structs_stt[i % 3].a] = -i;
}
