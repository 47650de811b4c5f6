/* SPDX-License-Identifier: MIT */
/* Two helpers that call each other. */
// expect: whole (recursion)
// kernel: recursive_pair
// run: no
// arg: buffer int X
// note: recursion
int recursive_pair_odd(int n);
int recursive_pair_even(int n)
{
    return n == 0 ? 1 : recursive_pair_odd(n - 1);
}
int recursive_pair_odd(int n)
{
    return n == 0 ? 0 : recursive_pair_even(n - 1) + n;
}
__kernel void recursive_pair(__global int *out)
{
    out[get_global_id(0)] = recursive_pair_even(out[get_global_id(0)]);
}
