/* SPDX-License-Identifier: MIT */
/* Stores beside a field through a pointer of another type. */
// expect: split
// kernel: field_through_other
// arg: buffer int X*4
// way: 0 own
// part: 8..10 writes 0 8196..10240
// part: 8..10 reads 0 8192..10228
typedef struct {
    int a;
    short b[2];
    int c[2];
} field_through_other_rec;
__kernel void field_through_other(__global field_through_other_rec *r)
{
    size_t i = get_global_id(0);
    __global short *s = &r[i].b[1];
    s[1] = 5;
    s[-1] = 6;
    r[i].c[1] = ((__global int *)r)[i * 4];
}
