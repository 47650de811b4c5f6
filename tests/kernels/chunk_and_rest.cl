/* SPDX-License-Identifier: MIT */
/* A chunk for each work-group, one more where the last one takes what is left. */
// expect: split
// kernel: chunk_and_rest
// size: 1024
// local: 32
// arg: buffer int X*3+17
// arg: buffer int X*3+17
// arg: int X*3+17
// way: 1 own
// part: 4..6 writes 1 1536..2304
__kernel void chunk_and_rest(__global const int *in, __global int *out, int n)
{
    const int group = get_group_id(0), groups = get_num_groups(0), each = n / groups;
    const int from = group * each, to = group == groups - 1 ? n : from + each;
    for (int i = from + get_local_id(0); i < to; i += get_local_size(0))
        out[i] = in[i] + group;
}
