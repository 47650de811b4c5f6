/* SPDX-License-Identifier: MIT */
/* Each item fills its run of a compressed row format. */
// expect: split
// kernel: expand_runs
// arg: buffer int X+1 rising I*4
// arg: buffer int X
// arg: buffer int I*4+1 zero
// offset: no
// part: 8..10 reads 0 2048..2564
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 4
__kernel void expand_runs(__global const int *first, __global const int *value, __global int *out)
{
    size_t i = get_global_id(0);
    for (int j = first[i]; j < first[i + 1]; j++)
        out[j] = value[i] + j;
}
