/* SPDX-License-Identifier: MIT */
/* A guard that no item passes: nothing is written. */
// expect: split
// kernel: guard_nothing
// arg: buffer int X
// arg: int 0
// writes: 0 nothing
// way: 0 own
__kernel void guard_nothing(__global int *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    out[n - i] = i;
}
