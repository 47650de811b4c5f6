/* SPDX-License-Identifier: MIT */
/* Sizes in a struct in constant memory: read before any index is known. */
// arg: buffer int X*4
// kernel: struct_in_constant
// arg: buffer int 2 below 2
// expect: any
// way: 0 merge 4
// writes: 0 unknown
// part: 8..10 reads 1 0..8
typedef struct {
    int from, step;
} struct_in_constant_sizes;
__kernel void struct_in_constant(__global int *out, __constant struct_in_constant_sizes *s)
{
    out[get_global_id(0) * 4 + s->from] = s->step;
}
