/* SPDX-License-Identifier: MIT */
/* Zeros from an odd place of a private array on: some of its words are zeroed in part. */
// expect: split
// way: 0 own
// kernel: block_zeroed
// arg: buffer int X zero
// arg: buffer int X+70000
__kernel void block_zeroed(__global int *out, __global const int *in)
{
    size_t g = get_global_id(0);
    int word[6];
    for (int i = 0; i < 6; i++)
        word[i] = -1;
    __builtin_memset((char *)word + 2, 0, (size_t)10);
    out[g] = in[word[g % 3] + 1];
}
