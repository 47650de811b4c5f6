/* SPDX-License-Identifier: MIT */
/* Loops that end by what is in memory, which the items themselves bring on. */
// expect: whole (the result of an atomic is used)
// kernel: groups_wait_for_none
// arg: buffer int 2 zero
// arg: buffer int X
// offset: no
// compare: no 0
// compare: no 1
// reason: atomic-result-used
__kernel void groups_wait_for_none(__global int *next, __global int *out)
{
    int i = get_global_id(0), n = get_global_size(0), old = next[1], ticket;
    while ((ticket = atomic_inc(next)) < n)
        out[ticket] = i;
    while (out[i] > 7)
        out[i] -= 7;
    for (int seen = old; (old = atomic_cmpxchg(next + 1, seen, seen + i % 3)) != seen; seen = old)
        ;
}
