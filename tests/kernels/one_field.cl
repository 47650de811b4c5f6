/* SPDX-License-Identifier: MIT */
/* Some fields of a structure: the others must survive. */
// expect: split
// kernel: one_field
// arg: buffer int X*3
// arg: buffer int X
// way: 0 own
// part: 8..10 writes 0 6148..7680
// part: 8..10 reads 0 6144..7672
// part: 8..10 reads 1 2048..2560
typedef struct {
    int a;
    short b;
    short c;
    float d;
} entry;
__kernel void one_field(__global entry *data, __global const int *in)
{
    size_t i = get_global_id(0);
    data[i].b = (short)in[i];
    data[i].d = data[i].a & 1023;
}
