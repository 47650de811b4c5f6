/* SPDX-License-Identifier: MIT */
/* A guard as a select, not a branch: a spare place takes what is not wanted. */
// arg: buffer int X+1
// kernel: guard_selected
// arg: buffer int X
// expect: split
// arg: int X
// compare: no 0
// way: 0 merge 4
// part: 8..10 writes 0 2048..4100
// part: 8..10 reads 1 2048..2560
__kernel void guard_selected(__global int *out, __global const int *in, int n)
{
    int i = get_global_id(0);
    out[in[i] > 0 ? i : n] = in[i];
}
