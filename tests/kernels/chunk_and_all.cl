/* SPDX-License-Identifier: MIT */
/* As chunk_and_rest, but the first work-group takes the rest as well: it writes where all others do. */
// expect: any
// kernel: chunk_and_all
// size: 1024
// local: 32
// arg: buffer int X*3+17
// arg: buffer int X*3+17
// arg: int X*3+17
// compare: no 1
// way: 1 merge 4
__kernel void chunk_and_all(__global const int *in, __global int *out, int n)
{
    const int group = get_group_id(0), groups = get_num_groups(0), each = n / groups;
    const int from = group * each, to = group == 0 ? n : from + each;
    for (int i = from + get_local_id(0); i < to; i += get_local_size(0))
        out[i] = in[i] + group;
}
