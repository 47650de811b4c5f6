/* SPDX-License-Identifier: MIT */
/* Structs with padding, copied as a whole. */
// expect: split
// kernel: whole_struct
// arg: buffer int X*3
// arg: buffer int X*3
// part: 8..10 reads 0 6144..7677
// part: 8..10 writes 1 6144..7677
// way: 1 own
typedef struct {
    short a;
    int b;
    char c;
} whole_struct_entry;
__kernel void whole_struct(__global const whole_struct_entry *in, __global whole_struct_entry *out)
{
    size_t i = get_global_id(0);
    whole_struct_entry e = in[i];
    out[i].a = e.a + 1;
    out[i].b = e.b;
    out[i].c = e.c;
}
