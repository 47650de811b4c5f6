/* SPDX-License-Identifier: MIT */
/* A guard as a select, not a branch: a spare place takes what is not wanted. */
// arg: buffer int X+1
// kernel: guard_selected
// arg: buffer int X
// expect: split
// arg: int X
// compare: no 0
__kernel void guard_selected(__global int *out, __global const int *in, int n)
{
    int i = get_global_id(0);
    out[in[i] > 0 ? i : n] = in[i];
}
