/* SPDX-License-Identifier: MIT */
/* Structs with padding: a member of each, the gaps keep what they held. */
// expect: split
// kernel: padded_struct
// arg: buffer int X*4
// arg: buffer int X
// part: 8..10 writes 0 8192..10240
// part: 8..10 reads 1 2048..2560
// way: 0 own
typedef struct {
    char a;
    long b;
} padded_struct_entry;
__kernel void padded_struct(__global padded_struct_entry *entries, __global const int *in)
{
    size_t i = get_global_id(0);
    entries[i].a = (char)in[i];
    if (in[i] > 0)
        entries[i].b = in[i];
}
