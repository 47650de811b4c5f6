/* SPDX-License-Identifier: MIT */
/* An array in a struct, written one past its end: the next one. */
// expect: split
// kernel: field_of_next
// arg: buffer int X*4+4
// way: 0 own
// part: 8..10 writes 0 8208..10244
typedef struct {
    int a;
    int b[3];
} field_of_next_rec2;
__kernel void field_of_next(__global field_of_next_rec2 *r)
{
    size_t i = get_global_id(0);
    r[i].b[3] = (int)i;
}
