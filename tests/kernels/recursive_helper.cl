/* SPDX-License-Identifier: MIT */
/* A helper that calls itself. */
// expect: whole (recursion)
// kernel: recursive_helper
// run: no
// arg: buffer int X
// note: recursion
int recursive_helper_sum(int n)
{
    return n < 2 ? n : recursive_helper_sum(n - 1) + recursive_helper_sum(n - 2);
}
__kernel void recursive_helper(__global int *out)
{
    out[get_global_id(0)] = recursive_helper_sum(out[get_global_id(0)]);
}
