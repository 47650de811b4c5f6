/* SPDX-License-Identifier: MIT */
/* Tickets from a global counter. */
// expect: whole (the result of an atomic is used)
// kernel: tickets
// arg: buffer uint 1 zero
// arg: buffer uint I*2 zero
// reason: atomic-result-used
__kernel void tickets(__global uint *next, __global uint *taken)
{
    uint ticket = atomic_inc(next);
    if (ticket < get_global_size(0) * 2)
        taken[ticket] = 1;
}
