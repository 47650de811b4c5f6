/* SPDX-License-Identifier: MIT */
/* Several items write one place with unlike values: any of them may stay. */
// expect: split
// kernel: scatter_last_wins
// arg: buffer int X
// arg: buffer int X below 10
// arg: buffer int 10 zero
// compare: no 2
// way: 2 merge 4
__kernel void scatter_last_wins(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i];
}
