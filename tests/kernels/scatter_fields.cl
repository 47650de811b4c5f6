/* SPDX-License-Identifier: MIT */
/* Some fields of structs at unknown places; the others and the padding must survive. */
// expect: split
// kernel: scatter_fields
// arg: buffer int X*3
// arg: buffer int X order
// writes: 0 unknown
// part: 8..10 reads 1 2048..2560
// way: 0 merge 1
typedef struct {
    char kind;
    int value;
    short mark;
} scatter_fields_entry;
__kernel void scatter_fields(__global scatter_fields_entry *entries, __global const int *index)
{
    size_t i = get_global_id(0);
    entries[index[i]].kind = (char)i;
    entries[index[i]].mark = (short)(i * 3);
}
