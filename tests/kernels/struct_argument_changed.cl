/* SPDX-License-Identifier: MIT */
/* A struct by value that the kernel changes. */
// expect: split
// kernel: struct_argument_changed
// arg: buffer int X*8
// arg: ints 3 1 2
// way: 0 merge 4
// writes: 0 unknown
typedef struct {
    int a, b, c;
} struct_argument_changed_abc;
__kernel void struct_argument_changed(__global int *o, struct_argument_changed_abc s)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < 3; k++) {
        o[i * 8 + s.a] = s.b;
        s.a += 1;
        s.b = s.c + k;
    }
}
