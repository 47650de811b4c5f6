/* SPDX-License-Identifier: MIT */
/* A struct of arrays of structs. */
// expect: split
// kernel: nested_struct
// arg: buffer int X*8
// way: 0 own
// part: 1..2 writes 0 2054..4096
typedef struct {
    int x;
    struct {
        short a, b;
    } pair[3];
    float last[4];
} nested_struct_entry;
__kernel void nested_struct(__global nested_struct_entry *entries)
{
    size_t i = get_global_id(0);
    for (int j = 0; j < 3; j++)
        entries[i].pair[j].b = (short)(i + j);
    entries[i].last[3] = (float)i;
}
