/* SPDX-License-Identifier: MIT */
/* Several items write one place with unlike values: any of them may stay. */
// expect: split
// kernel: scatter_last_wins
// arg: buffer int X
// arg: buffer int X below 10
// arg: buffer int 10 zero
// compare: no 2
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 4
__kernel void scatter_last_wins(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i];
}
