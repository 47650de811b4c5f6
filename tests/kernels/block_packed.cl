/* SPDX-License-Identifier: MIT */
/* A constant table at an odd place of a private array: words there are no entries of it. */
// expect: split
// way: 0 own
// kernel: block_packed
// arg: buffer uint X zero
// arg: buffer uint X+70000
typedef struct {
    uint a[4];
} words;
typedef struct __attribute__((packed)) {
    char before;
    words table;
    char after[3];
} odd;
typedef union {
    odd o;
    uint word[5];
} both;
__constant words entries = {{1, 2, 1, 2}};
__kernel void block_packed(__global uint *out, __global const uint *in)
{
    size_t g = get_global_id(0);
    both b;
    for (int i = 0; i < 5; i++)
        b.word[i] = 0;
    b.o.table = entries;
    out[g] = in[b.word[g % 4]];
}
