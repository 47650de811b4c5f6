/* SPDX-License-Identifier: MIT */
/* What an item stores at one place counts as one store, its last: a reset before, either branch, a loop's. */
// expect: split
// kernel: stores_by_turns
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X
// arg: buffer int X
// arg: buffer int X
// way: 2 merge 4
// way: 3 merge 4
// way: 4 merge 4
__kernel void stores_by_turns(__global const int *in, __global const int *index, __global int *reset,
                              __global int *branch, __global int *loop)
{
    int i = get_global_id(0), to = index[i];
    reset[to] = 0;
    if (in[i] > 3)
        reset[to] = in[i];
    if (in[i] & 1)
        branch[to] = in[i] * 2;
    else
        branch[to] = in[i] / 2;
    loop[to] = 0;
    for (int k = 0; k < 5; k++)
        loop[to] = loop[to] * 3 + in[i];
}
