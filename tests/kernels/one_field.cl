/* SPDX-License-Identifier: MIT */
/* Some fields of a structure: the others must survive. */
// expect: split
// kernel: one_field
// arg: buffer int X*3
// arg: buffer int X
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
