/* SPDX-License-Identifier: MIT */
/* A private union whose ints overlap by half: an int read is two halves of ints written. */
// expect: split
// kernel: overlaid_fields
// arg: buffer int X*3
// arg: int 0
// offset: no
// part: 8..10 writes 0 0..12288
// way: 0 merge 4
typedef union {
    struct __attribute__((packed)) {
        short a;
        int b;
    } low[2];
    struct __attribute__((packed)) {
        int c;
        short d;
    } high[2];
} overlaid_fields_pair;
__kernel void overlaid_fields(__global int *out, int zero)
{
    int i = get_global_id(0);
    overlaid_fields_pair u = {.high = {{0, 0}, {0, 0}}};
    u.low[zero].b = i;
    u.low[1 - zero].b = i;
    out[(u.high[zero].c >> 16) + i] = i;
}
